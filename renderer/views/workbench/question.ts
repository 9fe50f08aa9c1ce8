import type { CallInput } from '#shared/contract/calls.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { expandEntry, isPlainColumn, type FormulaTrouble } from '#shared/workspace/expandFormula.ts'
import type { Origin } from '#shared/workspace/chartStyle.ts'
import type { ColumnSource, SeriesEntry } from '#shared/workspace/workspace.ts'

type Overview = Omit<CallInput<'series.overview'>, 'startMs' | 'endMs'>
type Evaluate = Omit<CallInput<'series.evaluate'>, 'startMs' | 'endMs' | 'originMs'>

/** Picks the owner of a series in the active connection. */
export const ownerOf = (origin: Origin): string => (origin === 'computed' ? computedOwner('') : '')

/** Request for the points of a series; equal requests have equal answers, whatever the style. */
export type Question =
  | { kind: 'overview'; input: Overview; column: string; candles: boolean }
  | { kind: 'evaluate'; input: Evaluate }
  | { kind: 'trouble'; trouble: FormulaTrouble }

export const candleColumns = ['open', 'high', 'low', 'close', 'volume'] as const

export const canBeCandles = ({ source }: Pick<SeriesEntry, 'source'>): boolean =>
  source.kind === 'column' && source.dataset === 'ohlcv' && source.column === 'close'

export const seriesOf = ({ dataset, exchange, symbol, interval, timestamp, origin }: ColumnSource) => ({
  connectionId: ownerOf(origin),
  dataset,
  exchange,
  symbol,
  interval,
  timestamp,
})

export function questionOf(entry: SeriesEntry, all: readonly SeriesEntry[]): Question {
  const { source } = entry
  if (source.kind === 'column' && isPlainColumn(entry)) {
    const candles = entry.style === 'candles' && canBeCandles(entry)
    const columns = candles ? [...candleColumns] : [source.column]
    return { kind: 'overview', input: { ...seriesOf(source), columns }, column: source.column, candles }
  }
  const expanded = expandEntry(entry, all)
  if ('trouble' in expanded) return { kind: 'trouble', trouble: expanded.trouble }
  return { kind: 'evaluate', input: { formula: expanded.formula, inputs: inputsOf(expanded.columns) } }
}

/** Columns by the names that a formula has for them, as the core takes them. */
export const inputsOf = (columns: Readonly<Record<string, ColumnSource>>): Evaluate['inputs'] =>
  Object.fromEntries(Object.entries(columns).map(([name, each]) => [name, { ...seriesOf(each), column: each.column }]))

/** Builds the request of a plain column. */
export const readEntry = (entry: Pick<SeriesEntry, 'source' | 'style'>) => {
  const source = entry.source as ColumnSource
  const asCandles = entry.style === 'candles' && canBeCandles(entry)
  return { ...seriesOf(source), columns: asCandles ? [...candleColumns] : [source.column] }
}

/** The series that columns are of, each once with all of its columns, by the name of the first. */
export function readSeries(
  entries: readonly SeriesEntry[],
): { name: string; source: ColumnSource; columns: string[] }[] {
  const found = new Map<string, { name: string; source: ColumnSource; columns: Set<string> }>()
  for (const entry of entries) {
    const { name, source } = entry
    if (source.kind !== 'column') continue
    const key = JSON.stringify(seriesOf(source))
    const one = found.get(key) ?? { name, source, columns: new Set() }
    for (const column of readEntry(entry).columns) one.columns.add(column)
    found.set(key, one)
  }
  return [...found.values()].map(({ columns, ...one }) => ({ ...one, columns: [...columns] }))
}

/** Splits plain columns into those that can be read and those that no file of their series has. */
export function withoutAbsent(entries: readonly SeriesEntry[], absentOf: (id: string) => readonly string[]) {
  const asked = entries.map((entry) => ({ ...readEntry(entry), absent: absentOf(entry.id) }))
  const there = asked.map(({ absent, ...one }) => ({
    ...one,
    columns: one.columns.filter((column) => !absent.includes(column)),
  }))
  // With nothing left the core says what is wrong.
  const some = there.filter(({ columns }) => columns.length > 0)
  if (some.length === 0) return { there: entries.map(readEntry), gone: [] }
  return { there: some, gone: [...new Set(asked.flatMap(({ absent }) => absent))] }
}
