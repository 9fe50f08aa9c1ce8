import type { App } from '#core/app.ts'
import { toAppError } from '#shared/contract/errors.ts'
import type { LocalApiServer } from './server.ts'

interface LocalApiSettingOptions {
  app: App
  version: string
  dataDir: string
  onFault(message: string, thrown: unknown): void
}

/**
 * Opens and closes the local API according to the settings. The local API's code loads when it is first opened, and no
 * window waits for that.
 */
export function followLocalApiSetting(options: LocalApiSettingOptions): { close(): Promise<void> } {
  const { app } = options
  const client = app.clientFor({ kind: 'command line', pickFiles: null, save: () => Promise.resolve(null) })
  let server: LocalApiServer | null = null
  async function setOpen(isWanted: boolean): Promise<void> {
    if (isWanted === (server !== null)) return
    try {
      if (server !== null) {
        const closingServer = server
        server = null
        app.localApi.set({ open: null, problem: null })
        return await closingServer.close()
      }
      server = await startServer(options)
      app.localApi.set({ open: { url: server.url, tokenFile: server.tokenFile }, problem: null })
    } catch (thrown) {
      const { sentence, detail } = toAppError(thrown)
      options.onFault(`the local API could not be ${isWanted ? 'opened' : 'closed'}`, thrown)
      app.localApi.set({ open: null, problem: detail ?? sentence })
    }
  }
  /** The latest opening or closing of the server; the next one waits for it. */
  let lastChange = client.call('settings.read', {}).then(
    ({ localDoor }) => setOpen(localDoor),
    (thrown: unknown) => options.onFault('the switch of the local API could not be read', thrown),
  )
  const follow = (isWanted: boolean) => (lastChange = lastChange.then(() => setOpen(isWanted)))
  const stop = client.on('settings.changed', ({ localDoor }) => void follow(localDoor))
  return {
    close() {
      stop()
      return follow(false)
    },
  }
}

async function startServer({ app, version, dataDir, onFault }: LocalApiSettingOptions): Promise<LocalApiServer> {
  const [{ startLocalApi }, { createLocalApiAnswers }] = await Promise.all([
    import('./server.ts'),
    import('./answers.ts'),
  ])
  return startLocalApi({ answers: createLocalApiAnswers(app, version), version, dataDir, port: 0, onFault })
}
