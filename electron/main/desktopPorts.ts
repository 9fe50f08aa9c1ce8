import { createFileLog } from '#core/log/fileLog.ts'
import { systemClock, type Ports } from '#core/ports.ts'
import { startSandbox } from '../sandbox/server.ts'
import { createKeytarVault } from '../vault/keytarVault.ts'

/** Ports that the desktop gives the core. */
export const desktopPorts = (dataDir: string): Ports => ({
  vault: createKeytarVault(),
  log: createFileLog(dataDir),
  clock: systemClock,
  startSandbox: () => startSandbox({}),
})
