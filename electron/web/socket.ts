import type { WebSocket } from 'ws'
import type { Channel, ToWindow } from '#shared/contract/protocol.ts'
import { decodeWire, wirePieces } from '#shared/contract/wire.ts'

/**
 * Wraps a WebSocket as a channel of binary messages. A message that cannot be decoded ends the connection, because it
 * is not from our page.
 */
export function socketChannel(socket: WebSocket): Channel<ToWindow, unknown> {
  return {
    isOpen: () => socket.readyState === socket.OPEN,
    send(message) {
      if (socket.readyState !== socket.OPEN) return
      for (const piece of wirePieces(message)) socket.send(piece)
    },
    onMessage(listener) {
      socket.on('message', (data, isBinary) => {
        const decoded = isBinary ? tryDecode(data as Buffer) : undefined
        if (decoded === undefined) return socket.close(1003, 'not a message of this protocol')
        listener(decoded)
      })
    },
    onClose: (listener) => void socket.on('close', listener),
  }
}

function tryDecode(data: Buffer): unknown {
  try {
    return decodeWire(data)
  } catch {
    return undefined
  }
}
