import type { ColumnKind } from '#shared/catalog/column.ts'
import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { declaredColumn, isTestedDataset } from '#shared/catalog/testedDatasets.ts'
import { isSqlDataset, sqlColumnUnit } from '#shared/catalog/sqlSeries.ts'
import { sizeWords } from '#shared/catalog/rawNotes.ts'
import type { Venues } from '#shared/catalog/venues.ts'

/** Exponents of base units, such as price¹ and contracts¹ for a notional if sizes are in contracts. */
type Powers = Readonly<Record<string, number>>

/** Unit of a column or of a formula's result. */
export type Unit =
  | { kind: 'known'; powers: Powers }
  /** Units that a sum, comparison or choice combined although they differ. */
  | { kind: 'mixed'; parts: readonly string[] }
  /** The unit of a column of which neither a document nor the service says one. */
  | { kind: 'unknown' }

/** Name of the unknown unit wherever a unit is shown. */
export const UNIT_UNKNOWN = 'unit unknown'
const UNKNOWN_UNIT: Unit = { kind: 'unknown' }
export const NO_UNIT: Unit = { kind: 'known', powers: {} }
const MIXED = 'mixed units: '

/** Order of base units in a product; all others follow alphabetically. */
const baseUnitOrder = ['quote', 'return', 'log return', 'price', 'base asset', 'contracts']
const superscripts: Readonly<Record<number, string>> = { 1: '', 2: '²', 3: '³' }

/** Parses a unit as `unitText` writes it. */
export function parseUnit(text: string | null | undefined): Unit {
  if (text === null || text === undefined || text === UNIT_UNKNOWN) return UNKNOWN_UNIT
  if (text.startsWith(MIXED)) return { kind: 'mixed', parts: text.slice(MIXED.length).split(/, | and /) }
  const [above, ...below] = text.startsWith('1/') ? ['none', text.slice(2)] : text.split(' per ')
  const powers: Record<string, number> = Object.create(null) as Record<string, number>
  const add = (product: string, sign: number) => {
    for (const term of product.split(' × ')) {
      const [, name, square, exponent] = /^(.*?)(?:([²³])|\^(-?[\d.]+))?$/.exec(term) ?? [term, term]
      const power = sign * (square ? (square === '²' ? 2 : 3) : Number(exponent ?? 1))
      const names = name === 'quote' ? ['price', 'base asset'] : name === 'none' ? [] : [name]
      for (const one of names) powers[one] = (powers[one] ?? 0) + power
    }
  }
  add(above, 1)
  for (const product of below) add(product, -1)
  return knownUnit(powers)
}

/** Formats a unit: `price × contracts`, `return per quote`, `1/s`, `none` for a pure number; null if unknown. */
export function unitText(unit: Unit): string | null {
  if (unit.kind === 'unknown') return null
  if (unit.kind === 'mixed')
    return MIXED + joinedWithAnd(unit.parts.map((part) => (part === 'none' ? 'no unit' : part)))
  const terms = Object.entries(withQuote(unit.powers)).sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
  const product = (sign: 1 | -1) =>
    terms
      .filter(([, power]) => power * sign > 0)
      .map(([name, power]) => name + (superscripts[power * sign] ?? `^${power * sign}`))
      .join(' × ')
  const [above, below] = [product(1), product(-1)]
  if (below === '') return above || 'none'
  return above === '' ? `1/${below}` : `${above} per ${below}`
}

/** Returns the unit that all units share: mixed if they differ. An unknown unit is the same as no other. */
export function commonUnit(units: readonly Unit[]): Unit {
  const parts = new Set(
    units.flatMap((unit) => (unit.kind === 'mixed' ? unit.parts : [unitText(unit) ?? UNIT_UNKNOWN])),
  )
  return parts.size > 1 ? { kind: 'mixed', parts: [...parts].sort() } : (units.at(0) ?? NO_UNIT)
}

export function multiplyUnits(a: Unit, b: Unit): Unit {
  if (a.kind !== 'known' || b.kind !== 'known') return unitOfUnclearProduct(a, b)
  const powers: Record<string, number> = { ...a.powers }
  for (const [name, power] of Object.entries(b.powers)) powers[name] = (powers[name] ?? 0) + power
  return knownUnit(powers)
}

export const divideUnits = (a: Unit, b: Unit): Unit => multiplyUnits(a, raiseUnit(b, -1))

export function raiseUnit(unit: Unit, exponent: number): Unit {
  if (unit.kind !== 'known') return unit
  return knownUnit(Object.fromEntries(Object.entries(unit.powers).map(([name, power]) => [name, power * exponent])))
}

/** Returns the unit of a function's result, such as `ln(price)`; it is unchanged if mixed, unknown or a pure number. */
export function functionUnit(name: string, unit: Unit): Unit {
  if (unit.kind !== 'known' || Object.keys(unit.powers).length === 0) return unit
  const inner = unitText(unit)!.replaceAll(' × ', '·').replaceAll(' per ', '/')
  return knownUnit({ [`${name}(${inner})`]: 1 })
}

export const isPureNumber = (unit: Unit): boolean => unit.kind === 'known' && Object.keys(unit.powers).length === 0

/**
 * Returns a warning about a unit: mixed units, or amounts of different kinds in a product or quotient, because a
 * contract size is missing. Null if the unit is fine.
 */
export function unitWarning(unit: Unit): string | null {
  if (unit.kind === 'mixed') return unitText(unit)
  const amounts = unit.kind === 'known' ? Object.keys(unit.powers).filter(isAmount).sort() : []
  return amounts.length > 1 ? unitText({ kind: 'mixed', parts: amounts }) : null
}

const isAmount = (name: string): boolean =>
  name === sizeWords.base || name === sizeWords.contracts || name.startsWith(UNKNOWN_AMOUNT)

/** Returns the exponent of contracts in a unit: the number of contract sizes needed to convert it to base assets. */
export const contractsIn = (unit: Unit): number => (unit.kind === 'known' ? (unit.powers.contracts ?? 0) : 0)

/** Tells whether a unit counts amounts in the unit of a venue; a notional in quote currency counts base assets. */
export const countsIn = (unit: Unit, amountUnit: string): boolean =>
  unit.kind === 'known' && (unit.powers[amountUnit] ?? 0) !== 0

/** Converts a unit from contracts to base assets. */
export function inBaseAsset(unit: Unit): Unit {
  const power = contractsIn(unit)
  return multiplyUnits(unit, knownUnit({ contracts: -power, 'base asset': power }))
}

/** What units need to know of the venues and the service of a connection. */
export type UnitFacts = Pick<Venues, 'find' | 'servedQuantity'>

type VenueSizes = Pick<Venues, 'find'>

/** Beginning of the unit of amounts on a venue whose sizes are not known; each such venue has a unit of its own. */
const UNKNOWN_AMOUNT = 'amount on '

/** Returns the unit of amounts on a venue. */
export function amountUnitAt(exchange: string, venues: VenueSizes): string {
  const { sizes } = venues.find(exchange)
  return sizes === null ? `${UNKNOWN_AMOUNT}${exchange} (unit not known)` : sizeWords[sizes]
}

/**
 * Converts a unit of the catalog to one of a venue: amounts are in base assets or contracts there, or in a unit that is
 * not known, and a notional (`quote` in the catalog) is price times amount.
 */
export const unitAt = (catalogUnit: string, exchange: string, venues: VenueSizes): string =>
  unitWithAmounts(catalogUnit, amountUnitAt(exchange, venues))

/** Replaces amounts in a unit of the catalog by the unit of amounts on a venue, as `amountUnitAt` returns it. */
export function unitWithAmounts(catalogUnit: string, amountUnit: string): string {
  return unitText(parseUnit(catalogUnit.replace('quote', 'price × amount').replaceAll('amount', () => amountUnit)))!
}

/** Formats the unit of a catalog column for all venues: `base asset (contracts on ostrich-perps)`. */
export function unitOnVenues(catalogUnit: string, venues: Venues): string {
  if (venues.list.length === 0) return catalogUnit
  const byUnit = [
    ...Map.groupBy(
      venues.list.map(({ id }) => id),
      (venue) => unitAt(catalogUnit, venue, venues),
    ),
  ].sort(([, a], [, b]) => b.length - a.length)
  const others = byUnit.slice(1).map(([unit, all]) => `${unit} on ${joinedWithAnd(all)}`)
  return byUnit[0][0] + (others.length > 0 ? ` (${others.join('; ')})` : '')
}

/** Returns the unit of a dataset's column on a venue; null if neither a document nor the service says one. */
export function columnUnit(dataset: string, column: string, exchange: string, facts: UnitFacts): string | null {
  if (isSqlDataset(dataset)) return sqlColumnUnit(column)
  const metric = declaredColumn(dataset, column)
  // Amounts of a tested portfolio are money, which no venue counts in contracts.
  if (metric) return isTestedDataset(dataset) ? metric.unit : unitAt(metric.unit, exchange, facts)
  const isRaw = rawDatasets.some(({ id, columns }) => id === dataset && columns.some(({ name }) => name === column))
  const raw = isRaw ? rawUnits[column] : undefined
  if (raw !== undefined) return unitAt(raw, exchange, facts)
  const served = facts.servedQuantity(dataset, column)
  // The service's words hold for every venue, except for amounts, which each venue counts in its own unit.
  return served?.unit === 'amount' ? amountUnitAt(exchange, facts) : (served?.unit ?? null)
}

/** Returns the kind of a dataset's column; null if neither a document nor the service's words imply one. */
export const columnKind = (
  dataset: string,
  column: string,
  { servedQuantity }: Pick<UnitFacts, 'servedQuantity'>,
): ColumnKind | null =>
  declaredColumn(dataset, column)?.kind ??
  // The raw dataset of funding rates and its column have the same name.
  (dataset === column && column === 'funding_rate' ? 'rate' : null) ??
  servedQuantity(dataset, column)?.kind ??
  null

/** Units of numeric raw-event columns. */
const rawUnits: Readonly<Record<string, string>> = {
  price: 'price',
  amount: 'amount',
  bid_price: 'price',
  bid_amount: 'amount',
  ask_price: 'price',
  ask_amount: 'amount',
  mark_price: 'price',
  index_price: 'price',
  funding_rate: 'none',
  open_interest: 'amount',
}

/** Warns about columns with the same name but different units, such as one column of several venues. */
export function comparedUnitWarnings(columns: readonly { column: string; unit: string | null }[]): string[] {
  const byColumn = Map.groupBy(columns, ({ column }) => column)
  return [...byColumn.values()].flatMap(
    (columnsOfName) => unitWarning(commonUnit(columnsOfName.map(({ unit }) => parseUnit(unit)))) ?? [],
  )
}

function knownUnit(powers: Readonly<Record<string, number>>): Unit {
  return { kind: 'known', powers: Object.fromEntries(Object.entries(powers).filter(([, power]) => power !== 0)) }
}

/** Returns the unit of a product of which a factor is mixed or unknown; mixed takes precedence. */
function unitOfUnclearProduct(a: Unit, b: Unit): Unit {
  const mixed = [a, b].filter(({ kind }) => kind === 'mixed')
  return mixed.length > 0 ? commonUnit(mixed) : UNKNOWN_UNIT
}

/** Rewrites price times base asset as quote currency, as often as both occur. */
function withQuote({ price = 0, 'base asset': base = 0, ...others }: Powers): Powers {
  const quote = price * base > 0 ? Math.sign(price) * Math.min(Math.abs(price), Math.abs(base)) : 0
  const all = { ...others, quote, price: price - quote, 'base asset': base - quote }
  return Object.fromEntries(Object.entries(all).filter(([, power]) => power !== 0))
}

const rank = (name: string) => (baseUnitOrder.includes(name) ? baseUnitOrder.indexOf(name) : baseUnitOrder.length)

const joinedWithAnd = (parts: readonly string[]) =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
