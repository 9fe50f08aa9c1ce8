import type { EventPayload } from '#shared/contract/events.ts'
import type { EventName } from '#shared/contract/names.ts'

export type EventListener = <Name extends EventName>(name: Name, payload: EventPayload<Name>) => void

export interface EventBus {
  emit: EventListener
  /** @returns a function that ends the subscription */
  subscribe(listener: EventListener): () => void
}

export function createEventBus(): EventBus {
  const listeners = new Set<EventListener>()
  return {
    emit(name, payload) {
      for (const listener of listeners) listener(name, payload)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
