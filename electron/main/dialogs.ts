import { basename, extname } from 'node:path'
import { dialog, shell, type BrowserWindow, type FileFilter } from 'electron'
import { AppError } from '#shared/contract/errors.ts'
import type { WindowHost } from '#core/ports.ts'
import { saveFile } from './saveFile.ts'

const filters: Record<'parquet' | 'workspace', FileFilter> = {
  parquet: { name: 'Parquet files', extensions: ['parquet'] },
  workspace: { name: 'Perpscope workspaces', extensions: ['perpscope'] },
}

const savedFrom = new WeakMap<BrowserWindow, Set<string>>()

const keepSaved = (window: BrowserWindow, path: string) =>
  savedFrom.set(window, (savedFrom.get(window) ?? new Set()).add(path))

/** Provides the system's dialogs for one window. */
export function desktopHost(window: BrowserWindow): WindowHost {
  return {
    face: 'desktop',
    async save({ name, beside }, source) {
      const extensions = [extname(name).slice(1)].filter(Boolean)
      const { canceled, filePath } = await dialog.showSaveDialog(window, {
        // A name is data: it proposes, and never chooses a folder.
        defaultPath: basename(name),
        filters: extensions.length > 0 ? [{ name: extensions[0].toUpperCase(), extensions }] : [],
      })
      if (canceled || !filePath) return null
      await saveFile(filePath, source())
      if (beside) await saveFile(filePath + beside.suffix, beside.open())
      keepSaved(window, filePath)
      return { name: basename(filePath), path: filePath }
    },
    // A window may only reveal files that it saved, because it must not explore folders.
    reveal(path) {
      if (!savedFrom.get(window)?.has(path)) throw new AppError('not-found', 'The file was not saved from this window.')
      shell.showItemInFolder(path)
    },
    async pickFolder() {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        properties: ['openDirectory', 'createDirectory'],
      })
      return canceled ? null : (filePaths[0] ?? null)
    },
    async pickFiles(kind) {
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        properties: ['openFile', 'multiSelections'],
        filters: [filters[kind]],
      })
      return canceled ? [] : filePaths
    },
  }
}
