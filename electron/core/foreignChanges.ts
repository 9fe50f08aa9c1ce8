import type { Connections } from '#core/connections/connections.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { Keyring } from '#core/keys/keyring.ts'
import type { Store } from '#core/store/store.ts'

/**
 * Tells windows what another process changed, and only that: what this process tells by itself is not told again.
 * @returns what to do each time the index changed elsewhere
 */
export function createForeignChanges(
  store: Store,
  connections: Connections,
  keyring: Keyring,
  bus: EventBus,
): () => Promise<void> {
  let settingsTold = JSON.stringify(store.settings.read())
  let connectionsTold = store.connections.revision()
  let workspacesTold = store.workspaces.revision()
  let setsTold = store.sets.revision()
  let answersToldMs = store.portfolio.lastAnswerMs()
  bus.subscribe((name) => {
    if (name === 'settings.changed') settingsTold = JSON.stringify(store.settings.read())
    if (name === 'connections.changed') connectionsTold = store.connections.revision()
    if (name === 'workspaces.changed') workspacesTold = store.workspaces.revision()
    if (name === 'downloads.setsChanged') setsTold = store.sets.revision()
    if (name === 'portfolio.changed') answersToldMs = store.portfolio.lastAnswerMs()
  })

  return async () => {
    const settings = store.settings.read()
    if (JSON.stringify(settings) !== settingsTold) bus.emit('settings.changed', settings)
    if (store.sets.revision() !== setsTold) bus.emit('downloads.setsChanged', {})
    if (store.connections.revision() !== connectionsTold) {
      keyring.forget()
      bus.emit('connections.changed', await connections.list())
    }
    if (store.workspaces.revision() !== workspacesTold) bus.emit('workspaces.changed', {})
    for (const { connectionId, endpoint, query } of store.portfolio.answeredAfter(answersToldMs))
      bus.emit('portfolio.changed', { connectionId, endpoint, query })
    answersToldMs = store.portfolio.lastAnswerMs()
  }
}
