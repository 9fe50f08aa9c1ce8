import { connect, type Socket } from 'node:net'

/**
 * Time that a connection may stay silent before this side ends it, because a truncated request would wait for its rest.
 */
const SILENT_MS = 100

/** Connection that sends bytes unchanged. */
export interface RawConnection {
  send(bytes: Uint8Array): void
  /**
   * Resolves with the received text once `isEnough` accepts it or either side has closed; a reset counts as closing.
   */
  answer(isEnough: (answer: string) => boolean): Promise<string>
  /**
   * Ends the connection once `isEnough` accepts the received text or nothing arrives for 100 ms. @returns the received
   * text
   */
  end(isEnough: (answer: string) => boolean): Promise<string>
}

export function openRaw(port: number): RawConnection {
  let text = ''
  let isClosed = false
  const listeners = new Set<() => void>()
  const notify = () => listeners.forEach((listener) => listener())
  const socket: Socket = connect(port, '127.0.0.1')
  socket.setEncoding('latin1').on('data', (data: string) => {
    text += data
    notify()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
    notify()
  })

  function answer(isEnough: (answer: string) => boolean): Promise<string> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isClosed && !isEnough(text)) return
        listeners.delete(look)
        resolve(text)
      }
      listeners.add(look)
      look()
    })
  }

  return {
    send: (bytes) => void socket.write(bytes),
    answer,
    async end(isEnough) {
      socket.setTimeout(SILENT_MS, () => socket.destroy())
      const all = await answer(isEnough)
      socket.destroy()
      return all
    },
  }
}
