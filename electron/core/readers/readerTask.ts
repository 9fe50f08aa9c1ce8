import type { FormulaAnswer, FormulaTask, StatisticsAnswer, StatisticsTask } from './formulaTask.ts'
import type { OverviewBuckets, OverviewTask } from './overviewTask.ts'
import type { ScannedSeries, ScanTask } from './scanTask.ts'
import type { SummaryTask } from './summariseFile.ts'
import type { SeriesRows, SeriesTask } from './seriesTask.ts'

/** Everything that reading threads do: name → what they are given and what they give back. */
export interface ReaderWork {
  rows: { task: SeriesTask; result: SeriesRows }
  overview: { task: OverviewTask; result: OverviewBuckets }
  formula: { task: FormulaTask; result: FormulaAnswer }
  statistics: { task: StatisticsTask; result: StatisticsAnswer }
  summary: { task: SummaryTask; result: boolean }
  scan: { task: ScanTask; result: ScannedSeries[] }
}

export type ReaderWorkName = keyof ReaderWork

export type ReaderTask = { [Name in ReaderWorkName]: { name: Name; task: ReaderWork[Name]['task'] } }[ReaderWorkName]
export type ReaderResult = ReaderWork[ReaderWorkName]['result']
