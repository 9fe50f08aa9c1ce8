import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { OwnDataset, OwnPart } from '#core/store/ownDataStore.ts'
import { monthFolder, OWN_FOLDER, ownPartPath, partFileName } from '#core/store/partitions.ts'
import type { Store } from '#core/store/store.ts'
import { labelsOfMonth } from '#core/store/ownFiles.ts'
import type { StoredPart } from './storedRows.ts'

/** Folders of own datasets: `files/own/NAME/month=…`, and beside them those in which files are being converted. */

const ADDING_PREFIX = '.adding-'

const ownFolder = ({ folder }: Pick<Store, 'folder'>): string => join(folder.root, OWN_FOLDER)
const datasetFolder = (store: Pick<Store, 'folder'>, name: string): string => join(ownFolder(store), name)

export const partPath = (store: Pick<Store, 'folder'>, name: string, part: OwnPart): string =>
  ownPartPath(store.folder.root, name, part)

/** Creates a folder for a conversion, whose name says which process works in it. */
export function newWorkFolder(store: Pick<Store, 'folder'>, id: string): string {
  const path = join(ownFolder(store), `${ADDING_PREFIX}${process.pid}-${id}`)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  return path
}

/** Tells whether a conversion runs or was killed. */
export const hasUnfinishedAdds = (store: Pick<Store, 'folder'>): boolean =>
  namesIn(ownFolder(store)).some((entry) => entry.startsWith(ADDING_PREFIX))

/** Returns the path of a converted file before it is moved to its dataset. */
export const workPath = (folder: string, { month, sha256 }: OwnPart): string =>
  join(folder, monthFolder(month), partFileName(sha256))

/** Moves converted files to where their dataset has them. */
export function placeParts(store: Pick<Store, 'folder'>, name: string, parts: readonly OwnPart[], from: string): void {
  for (const part of parts) {
    const target = join(datasetFolder(store, name), monthFolder(part.month))
    mkdirSync(target, { recursive: true, mode: 0o700 })
    renameSync(workPath(from, part), partPath(store, name, part))
  }
}

/** Removes the files that no dataset has, and the folders of conversions whose process has ended. */
export function removeStrayFiles(store: Pick<Store, 'folder' | 'ownData'>): void {
  const root = ownFolder(store)
  if (namesIn(root).length === 0) return
  store.ownData.exclusively(() => {
    const names = new Set(store.ownData.list().map(({ name }) => name))
    for (const entry of namesIn(root)) {
      if (entry.startsWith(ADDING_PREFIX) ? !isRunning(entry) : !names.has(entry))
        rmSync(join(root, entry), { recursive: true, force: true })
      else if (names.has(entry)) removeOtherParts(store, entry)
    }
  })
}

/** Removes the files of a dataset that its record does not list. */
function removeOtherParts(store: Pick<Store, 'folder' | 'ownData'>, name: string): void {
  const listed = new Set(store.ownData.parts(name).map((part) => partPath(store, name, part)))
  for (const month of namesIn(datasetFolder(store, name))) {
    const folder = join(datasetFolder(store, name), month)
    const files = namesIn(folder)
    const others = files.filter((file) => !listed.has(join(folder, file)))
    for (const file of others) rmSync(join(folder, file), { recursive: true, force: true })
    if (others.length === files.length) removeEmpty(folder)
  }
}

export const removeDatasetFolder = (store: Pick<Store, 'folder'>, name: string): void =>
  rmSync(datasetFolder(store, name), { recursive: true, force: true })

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It is not empty, or not a folder.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isRunning(entry: string): boolean {
  const pid = Number(entry.slice(ADDING_PREFIX.length).split('-')[0])
  if (pid === process.pid) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Describes the files of a dataset for a thread that reads them. */
export const storedParts = (store: Pick<Store, 'folder' | 'ownData'>, { name }: Pick<OwnDataset, 'name'>) =>
  store.ownData.parts(name).map((part) => ({ ...storedPart(part, partPath(store, name, part)), month: part.month }))

export const storedPart = (part: OwnPart, path: string): StoredPart => ({
  path,
  known: { sizeBytes: part.bytes, changedAtMs: null, sha256: part.sha256 },
  sha256: part.sha256,
  ...labelsOfMonth(part.month),
  owners: part.owners,
})
