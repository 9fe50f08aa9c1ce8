import type { App } from '#core/app.ts'
import { toAppError } from '#shared/contract/errors.ts'
import type { Door } from './server.ts'

export interface DoorSwitchOptions {
  app: App
  version: string
  dataDir: string
  onFault(message: string, thrown: unknown): void
}

/**
 * Opens and closes the local API according to the settings. Its code loads when it is first opened, and no window waits
 * for it.
 */
export function followDoorSwitch(options: DoorSwitchOptions): { close(): Promise<void> } {
  const { app } = options
  const client = app.clientFor({ face: 'command line', pickFiles: null, save: () => Promise.resolve(null) })
  let door: Door | null = null
  async function setOpen(isWanted: boolean): Promise<void> {
    if (isWanted === (door !== null)) return
    try {
      if (door !== null) {
        const closing = door
        door = null
        app.door.set({ open: null, problem: null })
        return await closing.close()
      }
      door = await open(options)
      app.door.set({ open: { url: door.url, tokenFile: door.tokenFile }, problem: null })
    } catch (thrown) {
      const { sentence, detail } = toAppError(thrown)
      options.onFault(`the local API could not be ${isWanted ? 'opened' : 'closed'}`, thrown)
      app.door.set({ open: null, problem: detail ?? sentence })
    }
  }
  /** The latest opening or closing; the next one waits for it. */
  let lastTurn = client.call('settings.read', {}).then(
    ({ localDoor }) => setOpen(localDoor),
    (thrown: unknown) => options.onFault('the switch of the local API could not be read', thrown),
  )
  const follow = (isWanted: boolean) => (lastTurn = lastTurn.then(() => setOpen(isWanted)))
  const stop = client.on('settings.changed', ({ localDoor }) => void follow(localDoor))
  return {
    close() {
      stop()
      return follow(false)
    },
  }
}

async function open({ app, version, dataDir, onFault }: DoorSwitchOptions): Promise<Door> {
  const [{ openDoor }, { createDoorAnswers }] = await Promise.all([import('./server.ts'), import('./answers.ts')])
  return openDoor({ answers: createDoorAnswers(app, version), version, dataDir, port: 0, onFault })
}
