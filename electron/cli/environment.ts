import type { Client } from '#shared/contract/client.ts'
import { createApp, type App } from '#core/app.ts'
import { prepareDataDir } from '#core/dataDir.ts'
import { createFileLog } from '#core/log/fileLog.ts'
import { proxyFromEnvironment, systemClock } from '#core/ports.ts'
import { createKeytarVault } from '../vault/keytarVault.ts'
import { saveFolderTo, saveTo } from './saveFile.ts'
import { version } from './version.ts'

/** The core for one run of the command line: opened on first use. */
export interface Environment {
  app(): Promise<App>
  client(savePath?: string): Promise<Client>
  close(): Promise<void>
}

/** Imported when it is needed: most commands ask real services or none. */
const openSandbox = async () => (await import('../sandbox/server.ts')).startSandbox({})

export interface EnvironmentOptions {
  dataDir: string
  offline: boolean
  env: Readonly<Record<string, string | undefined>>
}

export function createEnvironment({ dataDir, offline, env }: EnvironmentOptions): Environment {
  let opened: App | null = null
  const app = async () => {
    if (opened) return opened
    prepareDataDir(dataDir)
    const ports = {
      vault: createKeytarVault(),
      log: createFileLog(dataDir),
      clock: systemClock,
      startSandbox: openSandbox,
    }
    const environmentKey = env.PERPSCOPE_API_KEY || undefined
    opened = createApp(ports, { version, dataDir, offline, environmentKey, proxy: proxyFromEnvironment(env) })
    return opened
  }
  return {
    app,
    client: async (savePath) =>
      (await app()).clientFor({
        face: 'command line',
        pickFiles: null,
        save: saveTo(savePath),
        saveFolder: saveFolderTo(savePath),
      }),
    close: async () => opened?.close(),
  }
}
