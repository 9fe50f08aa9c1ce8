import type { CoveredStretch, OverviewPoints, SourceFile, UnreadFile } from '#shared/contract/areas/series.ts'
import type { AppError } from '#shared/contract/errors.ts'
import type { FormulaTrouble } from '#shared/workspace/expandFormula.ts'
import type { TimeRange } from '../../charts/model.ts'

/** Points of a stretch of time, and what they come from. */
export interface Part extends TimeRange {
  points: OverviewPoints
  coverage: readonly CoveredStretch[]
  unread: readonly UnreadFile[]
  absentColumns: readonly string[]
  files: readonly SourceFile[]
  /** Unit of a formula's result; null if the column says it. */
  unit: string | null
  /** What is wrong with the unit; none for a column as it is. */
  unitWarnings: readonly string[]
}

/** Loaded points of a series: all of it from afar, and a range from near. */
export interface LoadedSeries {
  whole: Part | null
  detail: Part | null
  error: AppError | null
  trouble: FormulaTrouble | null
}

export const covers = (outer: TimeRange, inner: TimeRange): boolean =>
  outer.startMs <= inner.startMs && outer.endMs >= inner.endMs

const isEmptyRange = ({ startMs, endMs }: TimeRange): boolean => !(startMs < endMs)

/** Picks the part that a view is drawn from: the near part if it covers the view. */
export const partFor = ({ whole, detail }: LoadedSeries, view: TimeRange): Part | null =>
  detail && (covers(detail, view) || !whole) ? detail : whole

/** Ratio of a range of reduced points to the view above which the chart looks coarse. */
const MOST_TIMES_LONGER = 4
/** Beside the view, on each side, so that a small step needs no new question. */
const BESIDE = 0.5

const lengthOf = ({ startMs, endMs }: TimeRange) => endMs - startMs

/** Finds the range to request so that the view is drawn as well as possible; null if nothing is missing. */
export function wantedStretch({ whole, detail }: LoadedSeries, view: TimeRange): TimeRange | null {
  if (!whole || isEmptyRange(view)) return null
  const isFine = (part: Part) =>
    covers(part, view) && (part.points.kind === 'rows' || lengthOf(part) <= lengthOf(view) * MOST_TIMES_LONGER)
  if (isFine(whole) || (detail && isFine(detail))) return null
  const beside = lengthOf(view) * BESIDE
  return { startMs: Math.floor(view.startMs - beside), endMs: Math.ceil(view.endMs + beside) }
}

/** From the first to the last of what is here of any; null where nothing is. */
export function extentOfAll(all: Iterable<LoadedSeries>): TimeRange | null {
  let startMs = Infinity
  let endMs = -Infinity
  for (const { whole } of all) {
    if (!whole || isEmptyRange(whole)) continue
    startMs = Math.min(startMs, whole.startMs)
    endMs = Math.max(endMs, whole.endMs)
  }
  return startMs < endMs ? { startMs, endMs } : null
}
