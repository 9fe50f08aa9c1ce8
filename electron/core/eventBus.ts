import type { EventPayload } from '#shared/contract/events.ts'
import type { EventName } from '#shared/contract/names.ts'

type EventListener = <Name extends EventName>(name: Name, payload: EventPayload<Name>) => void

export interface EventBus {
  emit: EventListener
  /** @returns a function that ends the subscription */
  subscribe(listener: EventListener): () => void
}

/**
 * Creates the bus that delivers events to windows and other listeners.
 * @param onListenerError called with what a listener threw; a broken listener must not keep events from other listeners
 * or stop the sender
 */
export function createEventBus(onListenerError: (name: EventName, thrown: unknown) => void): EventBus {
  const listeners = new Set<EventListener>()
  return {
    emit(name, payload) {
      for (const listener of listeners) {
        try {
          listener(name, payload)
        } catch (thrown) {
          onListenerError(name, thrown)
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
