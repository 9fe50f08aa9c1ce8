import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import type { EventBus } from '#core/eventBus.ts'
import type { Logger } from '#core/ports.ts'
import type { LeaseRenewal } from '#core/store/lease.ts'
import type { DocumentFileStore } from '#core/store/documentFileStore.ts'
import type { OnDemand } from '#core/onDemand.ts'
import type { DocumentFolderService } from './documentFolder.ts'

/** Time during which further changes (by an editor, `git pull`) are collected for one sync. */
const DEBOUNCE_MS = 200
/** Time between regular syncs, which are needed because network drives do not report changes. */
const SYNC_EVERY_MS = 5000

interface FolderWatchDeps {
  files: DocumentFileStore
  service: OnDemand<DocumentFolderService>
  bus: EventBus
  log: Logger
  /** Starts renewing the lease on the documents folder. */
  renewLease(): Pick<LeaseRenewal, 'stop'>
  releaseLease(): void
}

interface FolderWatch {
  /** Keeps documents and files up to date from now on; for hosts that keep running. */
  start(): void
  /** Syncs because another process has changed the index. */
  changedElsewhere(): void
  /** Stops watching, after the changes that this process has made are written to the folder. */
  close(): Promise<void>
}

/** Watches the documents in the app and their files in the folder for changes. */
export function createFolderWatch({
  files,
  service,
  bus,
  log,
  renewLease,
  releaseLease,
}: FolderWatchDeps): FolderWatch {
  const watcherByPath = new Map<string, FSWatcher>()
  let lease: Pick<LeaseRenewal, 'stop'> | null = null
  let isStarted = false
  let isClosed = false
  let hasChanged = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let syncTimer: ReturnType<typeof setInterval> | undefined
  let running: Promise<void> | null = null

  async function sync(): Promise<void> {
    const root = files.folder()
    hasChanged = false
    if (root === null) return endWatching()
    if (isStarted) lease ??= renewLease()
    try {
      const folder = await service()
      await folder.sync()
      if (isStarted) watchFolders(root, folder.foldersToWatch())
    } catch (thrown) {
      log.write('warn', `the documents folder could not be synced: ${String(thrown)}`)
    }
  }

  function syncSoon(): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      running = (running ?? Promise.resolve()).then(sync)
    }, DEBOUNCE_MS)
    timer.unref()
  }

  /** Watches exactly these folders. If one cannot be watched, only the regular syncs notice its changes. */
  function watchFolders(root: string, folders: readonly string[]): void {
    const wanted = new Set(folders.map((folder) => join(root, folder)))
    for (const [path, watcher] of watcherByPath) if (!wanted.has(path)) endWatcher(path, watcher)
    for (const path of wanted) {
      if (watcherByPath.has(path)) continue
      try {
        const watcher = watch(path, { persistent: false }, syncSoon)
        watcher.on('error', () => endWatcher(path, watcher))
        watcherByPath.set(path, watcher)
      } catch {
        continue
      }
    }
  }

  function endWatcher(path: string, watcher: FSWatcher): void {
    watcher.close()
    watcherByPath.delete(path)
  }

  function endWatching(): void {
    for (const [path, watcher] of watcherByPath) endWatcher(path, watcher)
    lease?.stop()
    lease = null
  }

  const stopListening = bus.subscribe((name) => {
    if (!documentEvents.has(name) || files.folder() === null) return
    hasChanged = true
    if (isStarted) syncSoon()
  })

  return {
    start() {
      isStarted = true
      syncSoon()
      syncTimer = setInterval(() => {
        if (files.folder() !== null || lease) syncSoon()
      }, SYNC_EVERY_MS)
      syncTimer.unref()
    },
    changedElsewhere() {
      if (isStarted && (files.folder() !== null || lease)) syncSoon()
    },
    async close() {
      if (isClosed) return
      isClosed = true
      stopListening()
      clearTimeout(timer)
      clearInterval(syncTimer)
      await running
      if (hasChanged) await sync()
      endWatching()
      releaseLease()
    },
  }
}

const documentEvents = new Set<string>(['documents.changed', 'data.changed', 'connections.changed', 'folder.changed'])
