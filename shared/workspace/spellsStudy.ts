import { dayOf } from '../time.ts'
import type { TimeRange } from '../time/ranges.ts'
import { expandEntry, inDatasetNames } from './expandFormula.ts'
import type { ColumnSource, SeriesEntry } from './workspaceSchema.ts'

/** What a study of spells reads, in the fields of its document. */
interface SpellsStudyDocument extends Record<string, unknown> {
  name: string
  problem?: undefined
}

/** Builds the study of the spells of a condition over the days of a range, or says why there is none. */
export function spellsStudyOf(
  entry: SeriesEntry,
  all: readonly SeriesEntry[],
  { name, range }: { name: string; range: TimeRange },
): SpellsStudyDocument | { problem: string } {
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
    return { problem: 'A study of spells reads one symbol at one interval, and this condition reads more than that.' }
  const { exchange, symbol, interval, timestamp } = first
  return {
    version: 1,
    kind: 'spells',
    name: name.slice(0, 100),
    interval,
    start: dayOf(range.startMs),
    end: dayOf(Math.max(range.startMs, range.endMs - 1)),
    source: { exchanges: [exchange], symbols: [symbol], universe: null, timestamp, against: null },
    when: inDatasetNames(expanded),
  }
}
