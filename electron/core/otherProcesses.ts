import type { Connections } from '#core/connections/connections.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { Keyring } from '#core/keys/keyring.ts'
import type { Logger } from '#core/ports.ts'
import type { Store } from '#core/store/store.ts'

const POLL_MS = 1000

export interface OtherProcessesDeps {
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
  let workspacesRevision = store.workspaces.revision()
  let labRevision = store.lab.revision()
  let queriesRevision = store.queries.revision()
  let boardsRevision = store.boards.revision()
  let inboxRevision = store.checks.revision()
  let setsRevision = store.sets.revision()
  let instrumentsRevision = instrumentsRevisionOf(store)
  let listsRevision = store.lists.revision()
  let returnsRevision = store.returns.revision()
  let lastAnswerMs = store.portfolio.lastAnswerMs()
  bus.subscribe((name) => {
    if (name === 'settings.changed') settings = JSON.stringify(store.settings.read())
    if (name === 'connections.changed') connectionsRevision = store.connections.revision()
    if (name === 'workspaces.changed') workspacesRevision = store.workspaces.revision()
    if (name === 'lab.changed') labRevision = store.lab.revision()
    if (name === 'sql.changed') queriesRevision = store.queries.revision()
    if (name === 'boards.changed') boardsRevision = store.boards.revision()
    if (name === 'inbox.changed') inboxRevision = store.checks.revision()
    if (name === 'downloads.setsChanged') setsRevision = store.sets.revision()
    if (name === 'instruments.changed') instrumentsRevision = instrumentsRevisionOf(store)
    if (name === 'lists.changed') listsRevision = store.lists.revision()
    if (name === 'returns.changed') returnsRevision = store.returns.revision()
    if (name === 'portfolio.changed') lastAnswerMs = store.portfolio.lastAnswerMs()
  })

  return async () => {
    const current = store.settings.read()
    if (JSON.stringify(current) !== settings) bus.emit('settings.changed', current)
    if (store.sets.revision() !== setsRevision) bus.emit('downloads.setsChanged', {})
    if (store.connections.revision() !== connectionsRevision) {
      keyring.forget()
      bus.emit('connections.changed', await connections.list())
    }
    if (store.workspaces.revision() !== workspacesRevision) bus.emit('workspaces.changed', {})
    if (store.lab.revision() !== labRevision) bus.emit('lab.changed', {})
    if (store.queries.revision() !== queriesRevision) bus.emit('sql.changed', {})
    if (store.boards.revision() !== boardsRevision) bus.emit('boards.changed', {})
    if (store.checks.revision() !== inboxRevision) bus.emit('inbox.changed', {})
    if (instrumentsRevisionOf(store) !== instrumentsRevision) bus.emit('instruments.changed', {})
    if (store.lists.revision() !== listsRevision) bus.emit('lists.changed', {})
    if (store.returns.revision() !== returnsRevision) bus.emit('returns.changed', {})
    for (const { connectionId, endpoint, query } of store.portfolio.answeredAfter(lastAnswerMs))
      bus.emit('portfolio.changed', { connectionId, endpoint, query })
    lastAnswerMs = store.portfolio.lastAnswerMs()
  }
}

/** Returns a text that changes with what is known of instruments, typed funding periods included. */
const instrumentsRevisionOf = ({ instruments, fundingDefaults }: Store): string =>
  instruments.revision() + fundingDefaults.revision()
