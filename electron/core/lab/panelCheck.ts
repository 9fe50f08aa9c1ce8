import { statSync } from 'node:fs'
import { extname } from 'node:path'
import type { TableToCheck } from '#core/downloads/verifyFile.ts'
import type { FileVersion } from '#core/parquet/fileVersion.ts'
import { AppError } from '#shared/contract/errors.ts'
import { keyColumns, type WantedColumns } from './panelHeader.ts'

/** A panel file, with the version that was validated, which is left out if no validation was needed. */
export interface PanelFile {
  path: string
  known?: FileVersion
}

/**
 * Reads the columns of Parquet panels in a guarded process before a thread of this process does, because such a file
 * may come from anywhere. CSV panels are limited by their reader.
 */
export interface PanelCheck {
  /** Rejects with `corrupt-file` if the panel cannot be read within its limits. */
  check(path: string, columns: WantedColumns, signal: AbortSignal): Promise<PanelFile>
}

interface CheckedPanel {
  version: FileVersion
  columns: Set<string>
  areAllChecked: boolean
  refusal: AppError | null
}

/**
 * Number of checked panels that are remembered, so that a study that reruns while the user types checks its panel once.
 */
const MOST_PANELS = 50

/** @param checkTable reads columns of a table in a guarded process */
export function createPanelCheck(checkTable: (table: TableToCheck, signal: AbortSignal) => Promise<void>): PanelCheck {
  const panelByPath = new Map<string, CheckedPanel>()

  function recall(path: string, version: FileVersion): CheckedPanel {
    const remembered = panelByPath.get(path)
    panelByPath.delete(path)
    const isSame =
      remembered?.version.sizeBytes === version.sizeBytes && remembered.version.changedAtMs === version.changedAtMs
    const panel = isSame ? remembered : { version, columns: new Set<string>(), areAllChecked: false, refusal: null }
    panelByPath.set(path, panel)
    for (const leastRecent of panelByPath.keys()) {
      if (panelByPath.size <= MOST_PANELS) break
      panelByPath.delete(leastRecent)
    }
    return panel
  }

  return {
    async check(path, columns, signal) {
      const facts = statSync(path, { throwIfNoEntry: false })
      // The reader limits a CSV, and refuses any other file with a reason.
      if (!facts?.isFile() || extname(path).toLowerCase() !== '.parquet') return { path }
      const panel = recall(path, { sizeBytes: facts.size, changedAtMs: facts.mtimeMs })
      if (panel.refusal) throw panel.refusal
      if (panel.areAllChecked) return { path, known: panel.version }
      const uncheckedColumns =
        columns === 'all'
          ? columns
          : [...new Set([...keyColumns, ...columns])].filter((name) => !panel.columns.has(name))
      try {
        if (uncheckedColumns.length > 0) await checkTable({ path, columns: uncheckedColumns }, signal)
      } catch (thrown) {
        if (thrown instanceof AppError && thrown.code === 'corrupt-file') panel.refusal = thrown
        throw thrown
      }
      if (uncheckedColumns === 'all') panel.areAllChecked = true
      else for (const name of uncheckedColumns) panel.columns.add(name)
      return { path, known: panel.version }
    },
  }
}

/** A check for tests that accepts every panel. */
export const noPanelCheck: PanelCheck = { check: (path) => Promise.resolve({ path }) }
