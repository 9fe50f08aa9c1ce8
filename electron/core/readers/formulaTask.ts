import type { Resample } from '#shared/catalog/column.ts'
import type { FormulaProblem, OverviewPoints, SeriesStatistics } from '#shared/contract/areas/series.ts'
import type { TimeRange } from './seriesPlan.ts'
import type { SeriesTask, UnreadStretch } from './seriesTask.ts'

/** A column that a formula names, to be read with what its rule of resampling needs. */
export interface FormulaColumn extends SeriesTask {
  /** The one that is named stands first. */
  columns: readonly [string, ...string[]]
  intervalMs: number
  unit?: string
  resample?: Resample
  /** Rules by which the other columns are resampled to longer intervals. */
  companions: Record<string, Resample>
}

export interface FormulaTask extends TimeRange {
  formula: string
  /** Rows before it are read for what looks back, and do not count. */
  inputs: Record<string, FormulaColumn>
  points: number
}

export interface FormulaAnswer {
  points: OverviewPoints | null
  problem: FormulaProblem | null
  unit: string | null
  rows: number
  unread: Record<string, UnreadStretch[]>
}

export interface StatisticsTask extends Omit<FormulaTask, 'points'> {
  other: string | null
}

export type StatisticsAnswer = SeriesStatistics
