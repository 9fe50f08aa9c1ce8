import { timesByValue } from '../../along/cellCorrelations.ts'
import { returnsAhead } from '../../along/lookAhead.ts'
import { openTimes, readSymbol, usedCells } from '../../along/symbolCells.ts'
import { timeAt } from '../../panel.ts'
import { StudyError } from '../../studyError.ts'
import type { StudyMatrix, StudyPanel } from '../../studyPanel.ts'
import { bucketsOf } from './buckets.ts'
import type { SeriesStudy } from './fields.ts'

/** Which cells of a series are listed. */
export interface BucketQuery {
  symbol: string
  horizon: number
  /** Bucket, from 1 for the lowest signal; 0 for the cells without one, null for all. */
  bucket: number | null
}

/** Times of the used cells of a bucket, with their signals and the returns that follow them. */
export interface BucketTimes {
  times: number[]
  signal: number[]
  returns: number[]
  /** True for the samples that overlap no other. */
  isSample: boolean[]
  /** Number of cells beyond those returned. */
  left: number
}

/** Maximum number of cells returned. */
const MOST_CELLS = 5000

/** Lists the times behind a bucket. */
export function bucketTimesOf(
  panel: StudyPanel,
  study: SeriesStudy,
  matrices: { signal: StudyMatrix; price: StudyMatrix },
  { symbol, horizon, bucket }: BucketQuery,
): BucketTimes {
  const place = panel.symbols.indexOf(symbol)
  if (place < 0) throw new StudyError('symbol', `${symbol} has no row among those that the study reads.`)
  const cells = readSymbol(panel, { values: matrices.signal, price: matrices.price }, place)
  const buckets = bucketsOf(cells, study, timesByValue(openTimes(cells.isOpen), cells.values))
  const returns = returnsAhead(cells.price, study.delayBars, horizon)
  const used = usedCells(cells, { delay: study.delayBars, horizon, returns })
  const found = used.times.filter((time) => bucket === null || buckets[time] === bucket)
  const shown = Array.from(found.subarray(0, MOST_CELLS))
  return {
    times: shown.map((time) => timeAt(panel, time)),
    signal: shown.map((time) => cells.values[time]),
    returns: shown.map((time) => returns[time]),
    isSample: shown.map((time) => used.isSample[time] === 1),
    left: found.length - shown.length,
  }
}
