import type { EventBus } from '#core/eventBus.ts'

/** Tells windows that days were scored, which the inbox may say. */
export function announceScores(bus: EventBus): void {
  bus.emit('ledger.changed', {})
  bus.emit('inbox.changed', {})
}
