import type { Client } from '#shared/contract/client.ts'
import { createApp, type App } from '#core/app.ts'
import { fakeHost, fakePorts, type FakePorts } from '../fakes/fakePorts.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { type Ending, endOfTest } from '../fakes/sharedByTests.ts'

/** Connection of one window to an app, over the tested transport. */
export interface OpenedTransport {
  client: Client
  /**
   * Breaks the connection as a crash or a closed window does; null if the transport has no connection that can break.
   */
  drop: (() => void | Promise<void>) | null
  /** Sends any message, as a faulty window might; null if the transport allows only calls. */
  sendRaw: ((message: unknown) => void) | null
  close(): void | Promise<void>
}

/**
 * Connects a window to an app. Its window host must answer at once: `save` without a dialog (null is allowed),
 * `pickFiles` null or an empty selection.
 */
export type OpenTransport = (app: App, ending: Ending) => OpenedTransport | Promise<OpenedTransport>

export interface World extends OpenedTransport {
  app: App
  ports: FakePorts
  dataDir: string
  /** Client of the core without a transport, to compare with. */
  inside: Client
  /** Id of a connection that the user added without any address. */
  connectionId: string
}

export async function openWorld(open: OpenTransport, ending: Ending = endOfTest): Promise<World> {
  const ports = fakePorts()
  const dataDir = dataFolder(ending)
  const app = createApp(ports, { version: '9.8.7', dataDir })
  const inside = app.clientFor(fakeHost())
  const { id: connectionId } = await inside.call('connections.add', {
    name: 'Desk',
    metricsUrl: '',
    portfolioUrl: '',
    catalogLocation: '',
    tier: null,
  })
  const opened = await open(app, ending)
  ending(async () => {
    await opened.close()
    await app.close()
  })
  return { ...opened, app, ports, dataDir, inside, connectionId }
}
