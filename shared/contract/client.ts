import type { CallInput, CallOutput } from './calls.ts'
import { AppError, toAppError } from './errors.ts'
import type { EventPayload } from './events.ts'
import type { CallName, EventName } from './names.ts'
import type { Channel, FromWindow, Progress, ToWindow } from './protocol.ts'

export interface CallOptions {
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
}

/** A client lets a window call the core over any transport. */
export interface Client {
  call<Name extends CallName, Kind extends string>(
    name: Name,
    input: CallInput<Name> & { kind?: Kind },
    options?: CallOptions,
  ): Promise<CallOutput<Name, Kind>>
  /** @returns a function that unsubscribes */
  on<Name extends EventName>(name: Name, listener: (payload: EventPayload<Name>) => void): () => void
}

interface PendingCall {
  resolve(value: unknown): void
  reject(error: AppError): void
  onProgress: ((progress: Progress) => void) | undefined
}

type Listener = (payload: never) => void

export function createClient(channel: Channel<FromWindow, ToWindow>): Client {
  const pending = new Map<number, PendingCall>()
  const listeners = new Map<string, Set<Listener>>()
  let nextId = 0

  channel.onMessage((message) => {
    if (message.kind === 'event') {
      for (const listener of listeners.get(message.name) ?? []) listener(message.payload as never)
      return
    }
    const pendingCall = pending.get(message.id)
    if (!pendingCall) return
    if (message.kind === 'progress') return pendingCall.onProgress?.(message.progress)
    pending.delete(message.id)
    if (message.kind === 'result') pendingCall.resolve(message.value)
    else pendingCall.reject(AppError.fromShape(message.error))
  })

  channel.onClose(() => {
    for (const pendingCall of pending.values()) pendingCall.reject(new AppError('disconnected'))
    pending.clear()
  })

  function call<Name extends CallName, Kind extends string>(
    name: Name,
    input: CallInput<Name> & { kind?: Kind },
    { signal, onProgress }: CallOptions = {},
  ): Promise<CallOutput<Name, Kind>> {
    if (signal?.aborted) return Promise.reject(new AppError('cancelled'))
    const id = nextId++
    return new Promise<unknown>((resolve, reject) => {
      const cancel = () => {
        pending.delete(id)
        if (channel.isOpen()) channel.send({ kind: 'cancel', id })
        reject(new AppError('cancelled'))
      }
      const settle =
        <Value>(then: (value: Value) => void) =>
        (value: Value) => {
          signal?.removeEventListener('abort', cancel)
          then(value)
        }
      pending.set(id, { resolve: settle(resolve), reject: settle(reject), onProgress })
      signal?.addEventListener('abort', cancel, { once: true })
      try {
        channel.send({ kind: 'call', id, name, input })
      } catch (thrown) {
        pending.get(id)?.reject(toAppError(thrown))
        pending.delete(id)
      }
    }) as Promise<CallOutput<Name, Kind>>
  }

  function on<Name extends EventName>(name: Name, listener: (payload: EventPayload<Name>) => void): () => void {
    const namedListeners = listeners.get(name) ?? new Set()
    listeners.set(name, namedListeners)
    namedListeners.add(listener as Listener)
    return () => namedListeners.delete(listener as Listener)
  }

  return { call, on }
}
