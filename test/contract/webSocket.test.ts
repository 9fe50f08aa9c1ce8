import { get } from 'node:http'
import { encodeWire } from '#shared/contract/wire.ts'
import { startWebHost } from '../../electron/web/server.ts'
import { openWebWindow } from '../fakes/webWindow.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { describeContract } from './suite.ts'

describeContract('HTTP and a WebSocket', async (app, ending) => {
  const folder = temporaryFolder(ending)
  const host = await startWebHost({ app, port: 0, rendererDir: folder, incomingDir: folder })
  const { client, socket } = await openWebWindow(host)
  // Files that are offered for saving are fetched, as a browser does.
  client.on('saves.ready', ({ path }) => get({ host: '127.0.0.1', port: host.port, path }, (answer) => answer.resume()))
  return {
    client,
    drop: () => socket.terminate(),
    sendRaw: (message) => socket.send(encodeWire(message)),
    close: () => host.close(),
  }
})
