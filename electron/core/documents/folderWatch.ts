import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import type { EventBus } from '#core/eventBus.ts'
import type { Logger } from '#core/ports.ts'
import type { LeaseRenewal } from '#core/store/lease.ts'
import type { DocumentFileStore } from '#core/store/documentFileStore.ts'
import type { OnDemand } from '#core/onDemand.ts'
import type { DocumentFolderService } from './documentFolder.ts'

/** Several changes in a row (an editor, `git pull`) are one look. */
const DEBOUNCE_MS = 200
/** Network drives tell of no change, so the folder is inspected again and again. */
const LOOK_EVERY_MS = 5000

export interface FolderWatchDeps {
  files: DocumentFileStore
  service: OnDemand<DocumentFolderService>
  bus: EventBus
  log: Logger
  /** Starts the renewal of the lease on the documents folder. */
  renewLease(): Pick<LeaseRenewal, 'stop'>
  releaseLease(): void
}

export interface FolderWatch {
  /** Keeps both sides up to date from now on, for a host that goes on running. */
  start(): void
  /** Looks because another process changed the index. */
  changedElsewhere(): void
  /** Ends it; what changed in this process is written first. */
  close(): Promise<void>
}

/** Follows changes of documents in the app and of their files in the folder. */
export function createFolderWatch({
  files,
  service,
  bus,
  log,
  renewLease,
  releaseLease,
}: FolderWatchDeps): FolderWatch {
  const watchers = new Map<string, FSWatcher>()
  let lease: Pick<LeaseRenewal, 'stop'> | null = null
  let isStarted = false
  let isClosed = false
  let hasChanged = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let interval: ReturnType<typeof setInterval> | undefined
  let running: Promise<void> | null = null

  async function look(): Promise<void> {
    const root = files.folder()
    hasChanged = false
    if (root === null) return endWatching()
    if (isStarted) lease ??= renewLease()
    try {
      const folder = await service()
      await folder.look()
      if (isStarted) watchFolders(root, folder.watched())
    } catch (thrown) {
      log.write('warn', `the documents folder was not looked at: ${String(thrown)}`)
    }
  }

  function lookSoon(): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = (running ?? Promise.resolve()).then(look)
    }, DEBOUNCE_MS)
    timer.unref()
  }

  /** Watches these folders and no others. A folder that cannot be watched is inspected by the interval alone. */
  function watchFolders(root: string, folders: readonly string[]): void {
    const wanted = new Set(folders.map((folder) => join(root, folder)))
    for (const [path, watcher] of watchers) if (!wanted.has(path)) endWatcher(path, watcher)
    for (const path of wanted) {
      if (watchers.has(path)) continue
      try {
        const watcher = watch(path, { persistent: false }, lookSoon)
        watcher.on('error', () => endWatcher(path, watcher))
        watchers.set(path, watcher)
      } catch {
        continue
      }
    }
  }

  function endWatcher(path: string, watcher: FSWatcher): void {
    watcher.close()
    watchers.delete(path)
  }

  function endWatching(): void {
    for (const [path, watcher] of watchers) endWatcher(path, watcher)
    lease?.stop()
    lease = null
  }

  const stopListening = bus.subscribe((name) => {
    if (!documentEvents.has(name) || files.folder() === null) return
    hasChanged = true
    if (isStarted) lookSoon()
  })

  return {
    start() {
      isStarted = true
      lookSoon()
      interval = setInterval(() => {
        if (files.folder() !== null || lease) lookSoon()
      }, LOOK_EVERY_MS)
      interval.unref()
    },
    changedElsewhere() {
      if (isStarted && (files.folder() !== null || lease)) lookSoon()
    },
    async close() {
      if (isClosed) return
      isClosed = true
      stopListening()
      clearTimeout(timer)
      clearInterval(interval)
      await running
      if (hasChanged) await look()
      endWatching()
      releaseLease()
    },
  }
}

const documentEvents = new Set<string>([
  'workspaces.changed',
  'downloads.setsChanged',
  'lists.changed',
  'sql.changed',
  'lab.changed',
  'boards.changed',
  'connections.changed',
  'documents.changed',
])
