import { columnsNamed } from '#shared/formula/columnsNamed.ts'
import type { FundingRow } from '#shared/funding/fundingRows.ts'
import type { BreakdownInput } from '#shared/lab/breakdowns.ts'
import { formulasOf, readsEveryColumn, type Study } from '#shared/lab/kinds.ts'
import type { PanelSize } from '#shared/lab/panel.ts'
import type { StudyWarning } from '#shared/lab/studyWarnings.ts'
import type { UniverseRows } from '#shared/lab/universe.ts'
import type { CachePlan } from './cachePlan.ts'
import type { PanelFile } from './panelCheck.ts'
import type { WantedColumns } from './panelHeader.ts'

/** Rows of a study: a panel file, or cached files. */
export type StudyRows = PanelFile | CacheRows

export interface CacheRows {
  plan: CachePlan
  universe: UniverseRows | null
}

/** A study and the rows that it runs on. */
export interface StudyTask {
  study: Study
  rows: StudyRows
  /** Rows of the other clock; null if clocks are not compared. */
  against: StudyRows | null
  /** Cached columns to try if the study names none. */
  columns?: readonly string[]
  /** Place of the first column in the list of the document, if this is a part of a screen. */
  firstColumn?: number
  /** Warnings about the source that are known before its rows are read. */
  warnings?: readonly StudyWarning[]
  breakdowns?: BreakdownInput | null
  /** Funding periods of the symbols; null or absent if the study does not depend on them. */
  funding?: FundingRow[] | null
  /** Folder for the cells of a study that does not fit into memory. */
  scratchFolder: string
  /** Memory limit for the cells before they are moved to a file; tests make it small. */
  mostMemoryBytes?: number
}

/** Lists the rows of a study that come from the cache. */
export const cachedRowsOf = ({ rows, against }: StudyTask): CacheRows[] =>
  [rows, against].flatMap((each) => (each !== null && 'plan' in each ? [each] : []))

/** Computes the size of a plan's panel before any rows are read. */
export function planSize({ datasets, own = [], symbols, intervalMs }: CachePlan): PanelSize {
  const timeCount = Math.max(0, ...datasets.map((dataset) => (dataset.intervalMs === intervalMs ? dataset.rows : 0)))
  const columnCount = [...datasets, ...own].reduce((sum, { columns }) => sum + columns.length, 0)
  return { timeCount, symbolCount: symbols.length, columnCount, intervalMs }
}

/** Lists the columns that the formulas of a study name. */
export const columnsOfStudy = (study: Study): WantedColumns =>
  readsEveryColumn(study) ? 'all' : columnsNamed(formulasOf(study).map(({ formula }) => formula))
