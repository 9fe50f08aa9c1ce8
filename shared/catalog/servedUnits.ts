import type { ColumnKind } from './column.ts'

/** Unit that the catalog of a service gives to a column, in the service's words. */
export interface ServedUnit {
  dataset: string
  column: string
  unit: string
}

/** What a service's words say of the numbers of a column; the kind is null if they imply none. */
export interface ServedQuantity {
  unit: string
  kind: ColumnKind | null
}

/** Units that the program knows by other names too; `amount` stands for the unit of amounts on each venue. */
const quantities: readonly [unit: string, kind: ColumnKind | null, otherNames: readonly string[]][] = [
  ['amount', 'volume', []],
  ['base asset', 'volume', ['base', 'base currency']],
  ['contracts', 'volume', ['contract']],
  ['quote', 'notional', ['quote asset', 'quote currency']],
  ['price', 'price', []],
  ['%', 'percent', ['per cent', 'percent', 'pct']],
  ['bps', 'bps', ['bp', 'basis points']],
  ['count', 'count', ['number']],
  ['trades', 'count', []],
  ['events', 'count', []],
  ['s', 'duration', ['sec', 'second', 'seconds']],
  ['ms', 'duration', ['millisecond', 'milliseconds']],
  ['µs', 'duration', ['us', 'μs', 'microsecond', 'microseconds']],
  ['return', 'return', []],
  ['log return', 'return', []],
]

/** Names of pure numbers, with the kind that each implies. */
const pureNumbers: readonly [name: string, kind: ColumnKind | null][] = [
  ['fraction', 'fraction'],
  ['share', 'fraction'],
  ['ratio', 'ratio'],
  ['none', null],
]

const quantityByName: ReadonlyMap<string, ServedQuantity> = new Map([
  ...quantities.flatMap(([unit, kind, others]) => [unit, ...others].map((name) => [name, { unit, kind }] as const)),
  ...pureNumbers.map(([name, kind]) => [name, { unit: 'none', kind }] as const),
])

/** Reads a unit in a service's words; one that the program does not know stays as it is. Null if they are empty. */
export function servedQuantity(words: string): ServedQuantity | null {
  const unit = words.trim().replaceAll(/\s+/g, ' ')
  return unit === '' ? null : (quantityByName.get(unit.toLowerCase()) ?? { unit, kind: null })
}

/** Finds what a service says of a column that no document names; null if it says nothing. */
export type FindServedQuantity = (dataset: string, column: string) => ServedQuantity | null

export function servedQuantities(units: readonly ServedUnit[]): FindServedQuantity {
  const byColumn = new Map(units.map(({ dataset, column, unit }) => [`${dataset}\n${column}`, servedQuantity(unit)]))
  return (dataset, column) => byColumn.get(`${dataset}\n${column}`) ?? null
}
