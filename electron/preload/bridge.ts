import type { Answer, DesktopBridge } from '#shared/contract/bridge.ts'
import { createClient } from '#shared/contract/client.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { callNames, eventNames, type CallName, type EventName } from '#shared/contract/names.ts'
import type { Channel, FromWindow, ToWindow } from '#shared/contract/protocol.ts'

const isCall = (name: unknown): name is CallName => (callNames as readonly unknown[]).includes(name)
const isEvent = (name: unknown): name is EventName => (eventNames as readonly unknown[]).includes(name)

/** All that a page can do. Errors travel as values: a rejection would lose their code on the way into the page. */
export function createBridge(channel: Channel<FromWindow, ToWindow>): DesktopBridge {
  const client = createClient(channel)
  return {
    call(name, input, onProgress) {
      const stop = new AbortController()
      const running = isCall(name)
        ? client.call(name, input as never, { signal: stop.signal, ...(onProgress && { onProgress }) })
        : Promise.reject(new AppError('unknown-call'))
      const answer = running.then(
        (value): Answer => ({ ok: true, value }),
        (thrown: unknown): Answer => ({ ok: false, error: toAppError(thrown).toShape() }),
      )
      return { answer, cancel: () => stop.abort() }
    },
    on(name, listener) {
      if (!isEvent(name)) throw new AppError('unsupported', 'There is no such event.')
      return client.on(name, listener as (payload: unknown) => void)
    },
  }
}
