import { WebSocket } from 'ws'
import { createClient, type Client } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Channel, FromWindow, ToWindow } from '#shared/contract/protocol.ts'
import { createWireJoiner, decodeWire, encodeWire } from '#shared/contract/wire.ts'
import type { WebHost } from '../../electron/web/server.ts'

export interface WebWindow {
  client: Client
  socket: WebSocket
}

/** Opens a window of the browser host without a browser, through the same socket, protocol and checks. */
export async function openWebWindow(
  host: Pick<WebHost, 'port' | 'token'>,
  overrides: { token?: string; headers?: Record<string, string> } = {},
): Promise<WebWindow> {
  const address = `127.0.0.1:${host.port}`
  const socket = new WebSocket(`ws://${address}/socket`, ['perpscope', overrides.token ?? host.token], {
    headers: { Origin: `http://${address}`, ...overrides.headers },
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return { client: createClient(channelOf(socket)), socket }
}

function channelOf(socket: WebSocket): Channel<FromWindow, ToWindow> {
  const join = createWireJoiner()
  return {
    isOpen: () => socket.readyState === WebSocket.OPEN,
    send(message) {
      if (socket.readyState !== WebSocket.OPEN) throw new AppError('disconnected')
      socket.send(encodeWire(message))
    },
    onMessage(listener) {
      socket.on('message', (data) => {
        const bytes = join(data as Buffer)
        if (bytes) listener(decodeWire(bytes) as ToWindow)
      })
    },
    onClose: (listener) => void socket.on('close', listener),
  }
}
