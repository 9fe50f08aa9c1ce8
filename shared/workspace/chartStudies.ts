import { dayOf } from '../time.ts'
import type { TimeRange } from '../time/ranges.ts'
import { expandEntry, inDatasetNames } from './expandFormula.ts'
import type { ColumnSource, SeriesEntry } from './workspaceSchema.ts'

/** What a study of a chart's series reads, in the fields of its document. */
interface ChartStudyDocument extends Record<string, unknown> {
  name: string
  problem?: undefined
}

type ChartStudy = ChartStudyDocument | { problem: string }

interface StudyGround {
  name: string
  /** The study reads the days of this range. */
  range: TimeRange
}

/** Values of a series that are events: from a value on, upwards or downwards. */
export interface Threshold {
  side: '>=' | '<='
  value: number
}

/** Builds the study of the spells of a condition, or says why there is none. */
export const spellsStudyOf = (entry: SeriesEntry, all: readonly SeriesEntry[], ground: StudyGround): ChartStudy =>
  studyOf(entry, all, ground, (formula) => ({ kind: 'spells', when: formula }))

/** Builds the study of the times at which a series reaches a value, or says why there is none. */
export const eventStudyOf = (
  entry: SeriesEntry,
  all: readonly SeriesEntry[],
  ground: StudyGround,
  { side, value }: Threshold,
): ChartStudy =>
  studyOf(entry, all, ground, (formula) => ({
    kind: 'events',
    when: `${isOneName(formula) ? formula : `(${formula})`} ${side} ${value}`,
  }))

const isOneName = (formula: string) => /^[\w.]+$/.test(formula)

function studyOf(
  entry: SeriesEntry,
  all: readonly SeriesEntry[],
  { name, range }: StudyGround,
  fieldsOf: (formula: string) => { kind: string; when: string },
): ChartStudy {
  const expanded = expandEntry({ ...entry, style: 'line' }, all)
  if ('problem' in expanded) return { problem: expanded.problem.message }
  const sources = Object.values(expanded.columns)
  const [first] = sources
  const isAlike = ({ exchange, symbol, interval, timestamp, resampleTo, origin }: ColumnSource) =>
    exchange === first.exchange &&
    symbol === first.symbol &&
    interval === first.interval &&
    timestamp === first.timestamp &&
    resampleTo === '' &&
    origin === 'service'
  if (!sources.every(isAlike))
    return { problem: 'A study reads one symbol at one interval, and this series reads more than that.' }
  const { exchange, symbol, interval, timestamp } = first
  return {
    version: 1,
    name: name.slice(0, 100),
    interval,
    start: dayOf(range.startMs),
    end: dayOf(Math.max(range.startMs, range.endMs - 1)),
    source: { exchanges: [exchange], symbols: [symbol], universe: null, timestamp, against: null },
    ...fieldsOf(inDatasetNames(expanded)),
  }
}
