import { rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { declaredColumn, isTestedDataset } from '#shared/catalog/testedDatasets.ts'
import { isSqlDataset, sqlColumnUnit } from '#shared/catalog/sqlSeries.ts'
import { amountUnits, isVenue, venues } from '#shared/catalog/venues.ts'

/** Powers of base units, such as price¹ and contracts¹ for a notional where sizes are contracts. */
type Powers = Readonly<Record<string, number>>

/** Unit of a column or of a formula's result. */
export type Unit =
  | { kind: 'known'; powers: Powers }
  /** A sum, comparison or choice put these units together. */
  | { kind: 'mixed'; parts: readonly string[] }
  /** Columns that only the service knows have no documented unit. */
  | { kind: 'unknown' }

export const UNKNOWN_UNIT: Unit = { kind: 'unknown' }
export const NO_UNIT: Unit = { kind: 'known', powers: {} }
const MIXED = 'mixed units: '

/** Base units in the order in which a product names them; all others follow by the alphabet. */
const order = ['quote', 'return', 'log return', 'price', 'base asset', 'contracts']
const superscripts: Readonly<Record<number, string>> = { 1: '', 2: '²', 3: '³' }

/** Reads a unit as `unitText` writes it. */
export function parseUnit(text: string | null | undefined): Unit {
  if (text === null || text === undefined) return UNKNOWN_UNIT
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
  return known(powers)
}

/** Writes a unit: `price × contracts`, `return per quote`, `1/s`, `none` for a pure number; null if it is unknown. */
export function unitText(unit: Unit): string | null {
  if (unit.kind === 'unknown') return null
  if (unit.kind === 'mixed') return MIXED + listed(unit.parts.map((part) => (part === 'none' ? 'no unit' : part)))
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

/** The unit that all share: mixed where they differ, unknown where one is. */
export function commonUnit(units: readonly Unit[]): Unit {
  const parts = new Set(
    units.flatMap((unit) => (unit.kind === 'mixed' ? unit.parts : unit.kind === 'known' ? [unitText(unit)!] : [])),
  )
  if (parts.size > 1) return { kind: 'mixed', parts: [...parts].sort() }
  return units.find(({ kind }) => kind === 'unknown') ?? units.at(0) ?? NO_UNIT
}

export function multiplyUnits(a: Unit, b: Unit): Unit {
  if (a.kind !== 'known' || b.kind !== 'known') return commonOfOthers(a, b)
  const powers: Record<string, number> = { ...a.powers }
  for (const [name, power] of Object.entries(b.powers)) powers[name] = (powers[name] ?? 0) + power
  return known(powers)
}

export const divideUnits = (a: Unit, b: Unit): Unit => multiplyUnits(a, raiseUnit(b, -1))

export function raiseUnit(unit: Unit, exponent: number): Unit {
  if (unit.kind !== 'known') return unit
  return known(Object.fromEntries(Object.entries(unit.powers).map(([name, power]) => [name, power * exponent])))
}

/** A unit of its own for what a function makes of another: `ln(price)`. A pure number stays one. */
export function unitInside(name: string, unit: Unit): Unit {
  if (unit.kind !== 'known' || Object.keys(unit.powers).length === 0) return unit
  const inner = unitText(unit)!.replaceAll(' × ', '·').replaceAll(' per ', '/')
  return known({ [`${name}(${inner})`]: 1 })
}

export const isPureNumber = (unit: Unit): boolean => unit.kind === 'known' && Object.keys(unit.powers).length === 0

/**
 * Explains what is wrong with a unit: mixed units, also where a product or quotient holds both base assets and contracts,
 * as a contract size is missing there. Null if the unit is right.
 */
export function unitWarning(unit: Unit): string | null {
  if (unit.kind === 'mixed') return unitText(unit)
  if (unit.kind === 'known' && unit.powers['base asset'] && unit.powers.contracts)
    return unitText({ kind: 'mixed', parts: ['base asset', 'contracts'] })
  return null
}

/** Returns the power of contracts in a unit, which is the number of contract sizes that turn it into one of base assets. */
export const contractsIn = (unit: Unit): number => (unit.kind === 'known' ? (unit.powers.contracts ?? 0) : 0)

/** The unit after every number of contracts was multiplied by the contract size. */
export function inBaseAsset(unit: Unit): Unit {
  const power = contractsIn(unit)
  return multiplyUnits(unit, known({ contracts: -power, 'base asset': power }))
}

/**
 * Makes a unit of the catalog one of a venue: amounts are base assets or contracts there, and a notional (`quote` in the
 * catalog) is price times that. A venue outside the documents keeps the word amount.
 */
export function unitAt(catalogUnit: string, exchange: string): string {
  const size = isVenue(exchange) ? amountUnits[exchange] : 'amount'
  return unitText(parseUnit(catalogUnit.replace('quote', 'price × amount').replaceAll('amount', size)))!
}

/** The unit of a catalog column on all venues: `base asset (contracts on venueb-perps)`. */
export function unitOnVenues(catalogUnit: string): string {
  const byUnit = [...Map.groupBy(venues, (venue) => unitAt(catalogUnit, venue))].sort(
    ([, a], [, b]) => b.length - a.length,
  )
  const others = byUnit.slice(1).map(([unit, all]) => `${unit} on ${listed(all)}`)
  return byUnit[0][0] + (others.length > 0 ? ` (${others.join('; ')})` : '')
}

/** The unit of a dataset's column at a venue; null for a column that is not documented. */
export function columnUnit(dataset: string, column: string, exchange: string): string | null {
  if (isSqlDataset(dataset)) return sqlColumnUnit(column)
  const metric = declaredColumn(dataset, column)
  // Amounts of a tested portfolio are money already; no venue counts them in contracts.
  if (metric) return isTestedDataset(dataset) ? metric.unit : unitAt(metric.unit, exchange)
  const isRaw = rawDatasets.some(({ id, columns }) => id === dataset && columns.some(({ name }) => name === column))
  const raw = isRaw ? rawUnits[column] : undefined
  return raw === undefined ? null : unitAt(raw, exchange)
}

/** The units of the raw-event columns that are numbers; a dataset and its only column share their name. */
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

/** Warns of columns that are side by side under one name, such as one column of several venues. */
export function comparedUnitWarnings(columns: readonly { column: string; unit: string | null }[]): string[] {
  const byColumn = Map.groupBy(columns, ({ column }) => column)
  return [...byColumn.values()].flatMap(
    (same) => unitWarning(commonUnit(same.map(({ unit }) => parseUnit(unit)))) ?? [],
  )
}

function known(powers: Readonly<Record<string, number>>): Unit {
  return { kind: 'known', powers: Object.fromEntries(Object.entries(powers).filter(([, power]) => power !== 0)) }
}

const commonOfOthers = (a: Unit, b: Unit): Unit =>
  commonUnit([a, b].filter(({ kind }) => kind === 'mixed').concat([a, b].filter(({ kind }) => kind === 'unknown')))

/** Price and base asset in the same direction are quote currency. */
function withQuote({ price = 0, 'base asset': base = 0, ...others }: Powers): Powers {
  const quote = price * base > 0 ? Math.sign(price) * Math.min(Math.abs(price), Math.abs(base)) : 0
  const all = { ...others, quote, price: price - quote, 'base asset': base - quote }
  return Object.fromEntries(Object.entries(all).filter(([, power]) => power !== 0))
}

const rank = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)

const listed = (parts: readonly string[]) =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
