import { randomUUID } from 'node:crypto'
import { copyFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import {
  type BrowserWindow,
  dialog,
  type DownloadItem,
  type FileFilter,
  type SaveDialogOptions,
  type Session,
  shell,
} from 'electron'
import type { FileContent, WindowHost } from '#core/ports.ts'
import { writeReplacing } from '#core/writeSynced.ts'
import type { PickedKind } from '#shared/contract/areas/files.ts'
import { safeFileName } from '#shared/units/fileNames.ts'
import { AppError } from '#shared/contract/errors.ts'

const filterByKind: Record<PickedKind, FileFilter> = {
  parquet: { name: 'Parquet files', extensions: ['parquet'] },
  workspace: { name: 'Perpscope workspaces', extensions: ['perpscope', 'json'] },
  panel: { name: 'Panels (CSV, Parquet)', extensions: ['csv', 'parquet'] },
  study: { name: 'Perpscope studies', extensions: ['json'] },
  query: { name: 'Queries (SQL)', extensions: ['sql'] },
  board: { name: 'Boards', extensions: ['json'] },
  backup: { name: 'Perpscope backups', extensions: ['backup'] },
  returns: { name: 'Returns or weights (CSV)', extensions: ['csv', 'txt', 'tsv'] },
  ownData: { name: 'Tables (CSV, Parquet)', extensions: ['csv', 'tsv', 'txt', 'parquet', 'pq'] },
  ledger: { name: 'Ledgers of trials', extensions: ['jsonl'] },
}

/** Paths of the files that each window saved. */
const savedPathsByWindow = new WeakMap<BrowserWindow, Set<string>>()

const noteSaved = (window: BrowserWindow, path: string) =>
  savedPathsByWindow.set(window, (savedPathsByWindow.get(window) ?? new Set()).add(path))

/** Folder that the user chose last in each window, because Electron's dialogs always begin in the downloads folder. */
const lastFolderByWindow = new WeakMap<BrowserWindow, string>()

/** Options of save dialogs; on Linux, the dialog asks before overwriting a file only if told to. */
const saveProperties: SaveDialogOptions['properties'] = ['showOverwriteConfirmation', 'createDirectory']

const filtersOf = (name: string): FileFilter[] => {
  const extension = extname(name).slice(1)
  return extension ? [{ name: extension.toUpperCase(), extensions: [extension] }] : []
}

/** Provides the system's dialogs for one window. */
export function desktopHost(window: BrowserWindow): WindowHost {
  const pathInLastFolder = (name: string) => join(lastFolderByWindow.get(window) ?? '', name)
  const openOptions = () => {
    const folder = lastFolderByWindow.get(window)
    return folder === undefined ? {} : { defaultPath: folder }
  }
  return {
    kind: 'desktop',
    async save({ name, companion }, open) {
      const { canceled, filePath } = await dialog.showSaveDialog(window, {
        // The name is only a suggestion and must never choose a folder.
        defaultPath: pathInLastFolder(safeFileName(basename(name))),
        filters: filtersOf(name),
        properties: saveProperties,
      })
      if (canceled || !filePath) return null
      lastFolderByWindow.set(window, dirname(filePath))
      await saveFile(filePath, open())
      if (companion) await saveFile(filePath + companion.suffix, companion.open())
      noteSaved(window, filePath)
      return { name: basename(filePath), path: filePath }
    },
    // A window may only reveal files that it saved, so that it cannot explore folders.
    reveal(path) {
      if (!savedPathsByWindow.get(window)?.has(path))
        throw new AppError('not-found', 'The file was not saved from this window.')
      shell.showItemInFolder(path)
    },
    async pickFolder() {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        ...openOptions(),
        properties: ['openDirectory', 'createDirectory'],
      })
      return canceled ? null : (filePaths[0] ?? null)
    },
    async pickFiles(kind) {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        ...openOptions(),
        properties: ['openFile', 'multiSelections'],
        filters: [filterByKind[kind]],
      })
      if (canceled || filePaths.length === 0) return []
      lastFolderByWindow.set(window, dirname(filePaths[0]))
      return filePaths
    },
  }
}

/** Writes a temporary file and renames it at the end, so that the target is never incomplete. */
async function saveFile(path: string, content: FileContent): Promise<void> {
  await writeReplacing(path, content, `.${randomUUID()}.part`)
}

/** Suffix of a companion file, which records the provenance of another file and is saved next to it. */
const COMPANION_SUFFIX = '.provenance.json'

/**
 * Asks only once where to save a file and its companion: the companion is held back until the user has chosen a
 * location for the file.
 */
export function saveCompanions(session: Session, folder: string = tmpdir()): void {
  /** Downloads that are running or whose save dialog is open, by file name. */
  const mainDownloadByName = new Map<string, DownloadItem>()
  session.on('will-download', (event, item) => {
    if (event.defaultPrevented) return
    const name = item.getFilename()
    const mainDownload = name.endsWith(COMPANION_SUFFIX)
      ? mainDownloadByName.get(name.slice(0, -COMPANION_SUFFIX.length))
      : undefined
    if (mainDownload) return saveCompanion(item, mainDownload, join(folder, `${randomUUID()}${COMPANION_SUFFIX}`))
    // The dialog's default title is the URL of the content.
    item.setSaveDialogOptions({ title: `Save ${name}`, filters: filtersOf(name), properties: saveProperties })
    mainDownloadByName.set(name, item)
    item.once('done', () => mainDownloadByName.delete(name))
  })
}

function saveCompanion(item: DownloadItem, mainDownload: DownloadItem, heldPath: string): void {
  item.setSavePath(heldPath)
  const completions = [item, mainDownload].map(
    (each) => new Promise<boolean>((resolve) => each.once('done', (_event, state) => resolve(state === 'completed'))),
  )
  void Promise.all(completions)
    .then(async (result) => {
      if (result.every(Boolean)) await copyFile(heldPath, `${mainDownload.getSavePath()}${COMPANION_SUFFIX}`)
    })
    // The file itself was saved; only its companion could not be written.
    .catch(() => {})
    .finally(() => rm(heldPath, { force: true }))
}
