import { existsSync, type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { OWN_DATA_ENDINGS } from '#shared/formula/ownData.ts'

interface PathWatch {
  /** Watches also the folders that have come below the paths, and no longer those that have gone. */
  update(): void
  close(): void
}

interface WatchEvents {
  /** A file that may belong to the paths, or a folder below them, has changed, come or gone. */
  onChange(): void
  onError(error: Error): void
}

/**
 * Watches files, and folders with all folders below them. Of a file its folder is watched, because many programs write
 * a new file in place of the old one.
 */
export function watchPaths(paths: readonly string[], { onChange, onError }: WatchEvents): PathWatch {
  const watchers = new Map<string, FSWatcher>()
  const files = new Set(paths.filter((path) => !isFolder(path)))
  const folders = new Set<string>()

  function end(folder: string): void {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }

  function isOurs(path: string): boolean {
    if (files.has(path) || watchers.has(path)) return true
    if (!folders.has(dirname(path)) || basename(path).startsWith('.')) return false
    return OWN_DATA_ENDINGS.includes(extname(path).toLowerCase()) || isFolder(path)
  }

  function start(folder: string): void {
    const watcher = watch(folder, (_, name) => {
      if (name === null || isOurs(join(folder, name))) onChange()
    })
    watcher.on('error', (thrown) => {
      end(folder)
      // Some systems report the end of a watched folder as a failure.
      if (existsSync(folder)) onError(thrown)
    })
    watchers.set(folder, watcher)
  }

  function update(): void {
    folders.clear()
    for (const path of paths) if (!files.has(path)) addFolders(path, folders)
    const wanted = new Set([...folders, ...[...files].map((file) => dirname(file))])
    for (const folder of watchers.keys()) if (!wanted.has(folder) || !existsSync(folder)) end(folder)
    for (const folder of wanted) if (!watchers.has(folder) && existsSync(folder)) start(folder)
  }

  update()
  return {
    update,
    close: () => [...watchers.keys()].forEach(end),
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** Adds a folder and those below it, as far as the files in them are read. */
function addFolders(folder: string, found: Set<string>): void {
  if (!existsSync(folder) || found.has(folder)) return
  found.add(folder)
  for (const entry of readdirSync(folder))
    if (!entry.startsWith('.') && isFolder(join(folder, entry))) addFolders(join(folder, entry), found)
}
