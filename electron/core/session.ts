import { AppError, toAppError } from '#shared/contract/errors.ts'
import { events } from '#shared/contract/events.ts'
import type { CallName } from '#shared/contract/names.ts'
import { fromWindow, type Channel, type FromWindow, type ToWindow } from '#shared/contract/protocol.ts'
import type { Dispatch } from '#core/dispatch.ts'
import type { CallContext } from '#core/handler.ts'
import { asCaller } from '#core/threads/caller.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { Logger, WindowHost } from '#core/ports.ts'

/** Maximum number of calls that a window may have running; no screen makes so many, so a window that does is broken. */
const MAX_RUNNING_CALLS = 500

interface SessionDeps {
  dispatch: Dispatch
  bus: EventBus
  log: Logger
}

/** Serves one window over any transport: calls with their cancellation and progress, and all events. */
export function openSession(
  { dispatch, bus, log }: SessionDeps,
  channel: Channel<ToWindow, unknown>,
  host: WindowHost,
): void {
  const controllerByCall = new Map<number, AbortController>()

  const unsubscribe = bus.subscribe((name, payload) => {
    channel.send({ kind: 'event', name, payload: events[name].parse(payload) })
  })

  async function serve({ id, name, input }: Extract<FromWindow, { kind: 'call' }>): Promise<void> {
    if (controllerByCall.size >= MAX_RUNNING_CALLS)
      throw new AppError('too-large', `${MAX_RUNNING_CALLS} calls are running already`)
    if (controllerByCall.has(id)) throw new AppError('bad-input', `call ${id} is running already`)
    const controller = new AbortController()
    controllerByCall.set(id, controller)
    try {
      const context: CallContext = {
        signal: controller.signal,
        progress: (progress) =>
          controllerByCall.get(id) === controller && channel.send({ kind: 'progress', id, progress }),
        host,
      }
      const value = await asCaller(channel, () => dispatch(name as CallName, input as never, context))
      if (controllerByCall.get(id) === controller) channel.send({ kind: 'result', id, value })
    } finally {
      if (controllerByCall.get(id) === controller) controllerByCall.delete(id)
    }
  }

  channel.onMessage((raw) => {
    const message = fromWindow.safeParse(raw)
    if (!message.success)
      return log.write('warn', 'a window sent a message that is not of the protocol; it was ignored')
    if (message.data.kind === 'cancel') {
      controllerByCall.get(message.data.id)?.abort()
      controllerByCall.delete(message.data.id)
      return
    }
    const { id, name } = message.data
    serve(message.data).catch((thrown: unknown) => {
      const error = toAppError(thrown)
      logInternal(log, name, error)
      if (error.code !== 'cancelled') channel.send({ kind: 'error', id, error: error.toShape() })
    })
  })

  channel.onClose(() => {
    unsubscribe()
    for (const controller of controllerByCall.values()) controller.abort()
    controllerByCall.clear()
  })
}

/** Logs the cause of an error of the program itself, because the error's message does not name the cause. */
export function logInternal(log: Logger, what: string, { code, cause }: AppError): void {
  if (code !== 'internal' && code !== 'updated') return
  log.write('error', `${what} failed: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`)
}
