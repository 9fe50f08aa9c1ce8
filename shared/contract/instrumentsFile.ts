import { parseInstant } from '../lab/studyRange.ts'
import { dayOf, MS_PER_DAY, parseDay, parseDuration, parseInterval } from '../time.ts'
import { type NamedCsvRow, namedCsvRows } from '../units/csvRows.ts'
import { notJsonText, parseBoundedJson } from '../units/jsonLimits.ts'
import { parseDecimal } from '../units/numbers.ts'
import type { Instrument } from './areas/instruments.ts'
import { byDate, type DatedInstrument, datedInstruments, validFromMs } from './instrumentHistory.ts'

const needed = ['exchange', 'symbol'] as const
const optional = [
  ...(['valid_from', 'contract_size', 'quote', 'tick', 'funding_every', 'funding_offset'] as const),
  ...(['funding_rate_per', 'native', 'listed', 'delisted', 'renamed_from'] as const),
]
type ColumnName = (typeof needed)[number] | (typeof optional)[number]
const numeric: readonly ColumnName[] = ['contract_size', 'tick']

/** Columns of the files and of the tables of instruments, in their order. */
export const instrumentColumns: readonly ColumnName[] = [...needed, ...optional]

/** Row of a file with the place that messages about it name, such as `line 3`. */
interface PlacedRow {
  place: string
  row: Instrument
}

/**
 * Parses a CSV of instruments or a JSON array of objects with the same keys, or lists what is wrong with each bad line;
 * the header of a CSV is line 1, the first object of an array is item 1.
 */
export function readInstruments(
  text: string,
): { instruments: Instrument[]; warnings: string[] } | { problems: string[] } {
  const read = /^\uFEFF?\s*[[{]/.test(text) ? readJson(text) : readCsv(text)
  if ('problems' in read) return read
  const { kept, warnings } = withoutRepeated(read.rows)
  const groups = Map.groupBy(kept, ({ row }) => JSON.stringify([row.exchange, row.symbol]))
  const problems = [...groups.values()].flatMap(historyProblems)
  if (problems.length > 0) return { problems }
  const instruments = [...groups.values()].flatMap((rows) => rows.map(({ row }) => row).toSorted(byDate))
  return { instruments, warnings }
}

type ReadRows = { rows: PlacedRow[] } | { problems: string[] }

function readCsv(text: string): ReadRows {
  const parsed = namedCsvRows<ColumnName, PlacedRow>(text, { needed, optional }, ({ line, cell }) => {
    const row = readRow(cell)
    return 'problem' in row ? row : { place: `line ${line}`, row }
  })
  return 'problems' in parsed ? parsed : { rows: parsed.values }
}

function readJson(text: string): ReadRows {
  let document: unknown
  try {
    document = parseBoundedJson(text.replace(/^\uFEFF/, ''))
  } catch (thrown) {
    return { problems: [`the file cannot be read: ${notJsonText(thrown)}`] }
  }
  if (!Array.isArray(document)) return { problems: ['the file is not a JSON array of objects'] }
  const problems: string[] = []
  const rows: PlacedRow[] = []
  document.forEach((item: unknown, index) => {
    const place = `item ${index + 1}`
    const row = readItem(item)
    if ('problem' in row) problems.push(`${place}: ${row.problem}`)
    else rows.push({ place, row })
  })
  return problems.length > 0 ? { problems } : { rows }
}

function readItem(item: unknown): Instrument | { problem: string } {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return { problem: 'is not an object' }
  const values = new Map<string, unknown>(Object.entries(item))
  const unknownKey = [...values.keys()].find((key) => !instrumentColumns.some((name) => name === key))
  if (unknownKey !== undefined) return { problem: `unknown key ${quoteText(unknownKey.slice(0, 60))}` }
  for (const [name, value] of values) {
    const isNumber = typeof value === 'number' && numeric.some((each) => each === name)
    if (value !== null && typeof value !== 'string' && !isNumber)
      return { problem: `${name} ${quoteText(JSON.stringify(value).slice(0, 60))} is not a text` }
  }
  return readRow((name) => String(values.get(name) ?? '').trim())
}

const quoteText = (text: string) => `“${text}”`

/** What is wrong with a cell that is not empty, as a clause after its text; null for what is right. */
const cellProblems: Partial<Record<ColumnName, (text: string) => string | null>> = {
  valid_from: (text) =>
    parseInstant(text) === null ? 'is not a UTC day or an instant such as 2026-08-01T08:00Z' : null,
  contract_size: numberProblem,
  tick: numberProblem,
  funding_every: (text) => (parseInterval(text) === null ? 'is not a period such as 8h' : null),
  funding_offset: (text) => (parseDuration(text) === null ? 'is not a duration such as 4h' : null),
  funding_rate_per: (text) => (parseDuration(text) ? null : 'is not a period such as 8h'),
  listed: dayProblem,
  delisted: dayProblem,
}

function numberProblem(text: string): string | null {
  const value = parseDecimal(text) ?? NaN
  return value > 0 && Number.isFinite(value) ? null : 'is not a number above 0'
}

function dayProblem(text: string): string | null {
  return parseDay(text) === null ? 'is not a calendar day such as 2026-08-01' : null
}

function readRow(cell: NamedCsvRow<ColumnName>['cell']): Instrument | { problem: string } {
  const textOf = (name: ColumnName) => cell(name) || null
  const numberOf = (name: ColumnName) => (textOf(name) === null ? null : (parseDecimal(cell(name)) ?? null))
  const [exchange, symbol, from] = [textOf('exchange'), textOf('symbol'), textOf('valid_from')]
  if (exchange === null || symbol === null) return { problem: 'needs an exchange and a symbol' }
  for (const name of instrumentColumns) {
    const problem = cell(name) === '' ? null : (cellProblems[name]?.(cell(name)) ?? null)
    if (problem !== null) return { problem: `${name} ${quoteText(cell(name))} ${problem}` }
  }
  return {
    exchange,
    symbol,
    valid_from: from === null ? null : validFromText(parseInstant(from)!),
    contract_size: numberOf('contract_size'),
    quote: textOf('quote'),
    tick: numberOf('tick'),
    funding_every: textOf('funding_every'),
    funding_offset: textOf('funding_offset'),
    funding_rate_per: textOf('funding_rate_per'),
    native: textOf('native'),
    listed: textOf('listed'),
    delisted: textOf('delisted'),
    renamed_from: textOf('renamed_from'),
  }
}

/** Writes a date in one way, so that equal ones are equal texts, whose order is that of time to the second. */
const validFromText = (timeMs: number): string =>
  timeMs % MS_PER_DAY === 0 ? dayOf(timeMs) : new Date(timeMs).toISOString().replace('.000Z', 'Z')

/** Drops rows that a later one of the same pair and date replaces, and says so. */
function withoutRepeated(rows: readonly PlacedRow[]): { kept: PlacedRow[]; warnings: string[] } {
  const lastByKey = new Map<string, PlacedRow>()
  const warnings: string[] = []
  for (const placed of rows) {
    const { exchange, symbol, valid_from: from } = placed.row
    const key = JSON.stringify([exchange, symbol, from])
    const earlier = lastByKey.get(key)
    if (earlier) {
      const what = `${exchange} ${symbol}${from === null ? '' : ` from ${from}`}`
      warnings.push(`${placed.place} stands instead of ${earlier.place}: both describe ${what}`)
    }
    lastByKey.set(key, placed)
  }
  return { kept: [...lastByKey.values()], warnings }
}

/** Lists what is wrong with the rows of one pair once empty fields have the values of the row before. */
function historyProblems(rows: readonly PlacedRow[]): string[] {
  const placeByTime = new Map(rows.map(({ place, row }) => [validFromMs(row), place]))
  return datedInstruments(rows.map(({ row }) => row)).flatMap((dated) => {
    const problem = offsetProblem(dated) ?? listingProblem(dated)
    return problem === null ? [] : [`${placeByTime.get(dated.fromMs)}: ${problem}`]
  })
}

function offsetProblem({ funding_every: every, funding_offset: offset }: DatedInstrument): string | null {
  if (every === null || offset === null || parseDuration(offset)! < parseDuration(every)!) return null
  return `funding_offset ${quoteText(offset)} is not shorter than the period ${quoteText(every)}`
}

const listingProblem = ({ listed, delisted }: DatedInstrument): string | null =>
  listed !== null && delisted !== null && delisted < listed
    ? `delisted ${quoteText(delisted)} is before listed ${quoteText(listed)}`
    : null
