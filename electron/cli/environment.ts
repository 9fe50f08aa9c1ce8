import type { Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import { createApp, type App } from '#core/app.ts'
import { prepareDataDir } from '#core/dataDir.ts'
import { systemClock, type Logger, type SecretVault } from '#core/ports.ts'
import { saveTo } from './saveFile.ts'
import { version } from './version.ts'

const vault: SecretVault = {
  name: 'keychain',
  probe: () => Promise.reject(new AppError('no-keychain')),
  get: () => Promise.reject(new AppError('no-keychain')),
  set: () => Promise.reject(new AppError('no-keychain')),
  remove: () => Promise.reject(new AppError('no-keychain')),
}

const log: Logger = { write: () => {} }

/** The core for one run of the command line: opened on first use. */
export interface Environment {
  app(): Promise<App>
  client(savePath?: string): Promise<Client>
  close(): Promise<void>
}

export function createEnvironment(dataDir: string): Environment {
  let opened: App | null = null
  const app = async () => {
    if (opened) return opened
    prepareDataDir(dataDir)
    opened = createApp({ vault, log, clock: systemClock }, { version, dataDir })
    return opened
  }
  return {
    app,
    client: async (savePath) =>
      (await app()).clientFor({ face: 'command line', pickFiles: null, save: saveTo(savePath) }),
    close: async () => opened?.close(),
  }
}
