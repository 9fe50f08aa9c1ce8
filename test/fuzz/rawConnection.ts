import { connect, type Socket } from 'node:net'

/** Time in which a connection may stay silent; then this side ends it, because a cut request waits for more. */
const SILENT_MS = 100

/** A connection that sends bytes as they are. */
export interface RawConnection {
  send(bytes: Uint8Array): void
  /** Resolves with what came back once it is enough for the caller, or once either side closed; a reset counts as closed. */
  answer(isEnough: (answer: string) => boolean): Promise<string>
  /** Ends the connection as soon as nothing comes back any more. @returns everything that came back */
  end(isEnough: (answer: string) => boolean): Promise<string>
}

export function openRaw(port: number): RawConnection {
  let text = ''
  let isClosed = false
  const changed = new Set<() => void>()
  const notify = () => changed.forEach((listener) => listener())
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
        changed.delete(look)
        resolve(text)
      }
      changed.add(look)
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
