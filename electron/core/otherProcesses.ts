import { documentKindNames } from '#shared/contract/documents/kindNames.ts'
import type { Connections } from '#core/connections/connections.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { Keyring } from '#core/keys/keyring.ts'
import type { Logger } from '#core/ports.ts'
import type { Store } from '#core/store/store.ts'

const POLL_MS = 1000

interface OtherProcessesDeps {
  store: Store
  connections: Connections
  keyring: Keyring
  bus: EventBus
  log: Logger
  watchEveryMs: number | undefined
}

/**
 * Detects changes by other processes in the data folder (a command line may change a setting while a window is open)
 * and reports them to windows.
 * @returns a function that stops watching
 */
export function watchOtherProcesses(deps: OtherProcessesDeps, onChange: () => void): () => void {
  const { store, log, watchEveryMs = POLL_MS } = deps
  const reportChanges = createChangeReporter(deps)
  async function poll(): Promise<void> {
    try {
      if (!store.database.hasChangedElsewhere()) return
      await reportChanges()
      onChange()
    } catch (thrown) {
      log.write('warn', `looking for changes failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
  }
  const timer = setInterval(() => void poll(), watchEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Creates the function that reports changes which no event of this process has reported yet.
 * @returns a function to call each time another process has written
 */
function createChangeReporter({ store, connections, keyring, bus }: OtherProcessesDeps): () => Promise<void> {
  let settings = JSON.stringify(store.settings.read())
  let connectionsRevision = store.connections.revision()
  const documentRevisions = new Map(documentKindNames.map((kind) => [kind, store.documents[kind].revision()]))
  let inboxRevision = store.checks.revision()
  let instrumentsRevision = instrumentsRevisionOf(store)
  let returnsRevision = store.returns.revision()
  let ownDataRevision = store.ownData.revision()
  let lastAnswerMs = store.portfolio.lastAnswerMs()
  bus.subscribe((name) => {
    if (name === 'settings.changed') settings = JSON.stringify(store.settings.read())
    if (name === 'connections.changed') connectionsRevision = store.connections.revision()
    if (name === 'documents.changed')
      for (const kind of documentKindNames) documentRevisions.set(kind, store.documents[kind].revision())
    if (name === 'inbox.changed') inboxRevision = store.checks.revision()
    if (name === 'instruments.changed') instrumentsRevision = instrumentsRevisionOf(store)
    if (name === 'returns.changed') returnsRevision = store.returns.revision()
    if (name === 'data.changed') ownDataRevision = store.ownData.revision()
    if (name === 'portfolio.changed') lastAnswerMs = store.portfolio.lastAnswerMs()
  })

  return async () => {
    const current = store.settings.read()
    if (JSON.stringify(current) !== settings) bus.emit('settings.changed', current)
    if (store.connections.revision() !== connectionsRevision) {
      keyring.forget()
      bus.emit('connections.changed', await connections.list())
    }
    for (const [kind, revision] of documentRevisions)
      if (store.documents[kind].revision() !== revision) bus.emit('documents.changed', { kind })
    if (store.checks.revision() !== inboxRevision) bus.emit('inbox.changed', {})
    if (instrumentsRevisionOf(store) !== instrumentsRevision) bus.emit('instruments.changed', {})
    if (store.returns.revision() !== returnsRevision) bus.emit('returns.changed', {})
    if (store.ownData.revision() !== ownDataRevision) bus.emit('data.changed', {})
    for (const { connectionId, endpoint, query } of store.portfolio.answeredAfter(lastAnswerMs))
      bus.emit('portfolio.changed', { connectionId, endpoint, query })
    lastAnswerMs = store.portfolio.lastAnswerMs()
  }
}

/** Returns a text that changes with what is known of instruments, typed funding periods included. */
const instrumentsRevisionOf = ({ instruments, fundingDefaults }: Store): string =>
  instruments.revision() + fundingDefaults.revision()
