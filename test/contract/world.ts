import type { Client } from '#shared/contract/client.ts'
import { createApp, type App } from '#core/app.ts'
import { fakeHost, fakePorts, type FakePorts } from '../fakes/fakePorts.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { type Ending, endOfTest } from '../fakes/sharedByTests.ts'

/** One window's line to an app, over the transport under test. */
export interface OpenedTransport {
  client: Client
  /** Ends the line as a crash or a closed window does; null where there is no line that could end. */
  drop: (() => void | Promise<void>) | null
  /** Sends anything at all, as a broken window might; null where the transport itself allows only calls. */
  sendRaw: ((message: unknown) => void) | null
  close(): void | Promise<void>
}

/**
 * Connects a window to this app. The host it gives the window must answer at once: `save` without a dialog (null is
 * fine), `pickFiles` null or an empty choice.
 */
export type OpenTransport = (app: App, ending: Ending) => OpenedTransport | Promise<OpenedTransport>

export interface World extends OpenedTransport {
  app: App
  ports: FakePorts
  dataDir: string
  /** The core without any transport, to compare with. */
  inside: Client
  /** A connection that the person added, without any address. */
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
