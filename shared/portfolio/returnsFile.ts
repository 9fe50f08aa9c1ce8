import type { FileWarning, ReturnUnit } from '#shared/contract/areas/returns.ts'
import { MS_PER_DAY, parseDay } from '../time.ts'
import { dayFromNumber, type DayNumber } from '../time/periods.ts'
import { type NamedCsvRow, csvRows, namedCsvRows } from '../units/csvRows.ts'
import { MINUS, parseDecimal } from '../units/numbers.ts'
import { plural } from '../units/plurals.ts'
import type { DailySeries } from './dailySeries.ts'

/** Daily returns that were read from a file. */
interface ReturnsContent {
  kind: 'returns'
  returns: DailySeries
  benchmark: DailySeries | null
  warnings: FileWarning[]
}

interface WeightCell {
  line: number
  ticker: string
  weight: number
}

/** Weights that were read from a file. */
export interface WeightsContent {
  kind: 'weights'
  /** Weights by day, ascending. */
  days: { day: DayNumber; cells: WeightCell[] }[]
  warnings: FileWarning[]
}

/** Result of reading a file: its content, the unreadable lines, or the question about the unit of plain numbers. */
type ReturnsFile =
  | ReturnsContent
  | WeightsContent
  | { kind: 'unreadable'; problems: string[] }
  | { kind: 'unit-needed' }

/** Columns of the two file formats. */
const returnColumns = ['date', 'return', 'benchmark'] as const
const weightColumns = ['date', 'ticker', 'weight'] as const

/** Reads a CSV of daily returns (`date,return[,benchmark]`) or of weights (`date,ticker,weight`). */
export function readReturnsFile(text: string, unit: ReturnUnit | null): ReturnsFile {
  const head = csvRows(text.slice(0, 100_000)).at(0)?.cells ?? []
  const isWeights = head.some((name) => ['ticker', 'weight'].includes(name.trim().toLowerCase()))
  return isWeights ? readWeights(text, unit) : readReturns(text, unit)
}

/** A number as a file has it; a per cent sign is not applied yet. */
interface NumberCell {
  value: number
  hasPercent: boolean
  hasComma: boolean
}

/** Minus signs, including the dashes that text editors substitute. */
const minusSigns = new RegExp(`^[${MINUS}\\u2012\\u2013]`)

/** Parses a number, which may have a decimal comma, thousands separators or a per cent sign; null for other text. */
export function readNumberCell(cell: string): NumberCell | null {
  const percent = /\s*%$/.exec(cell)
  const numberText = (percent ? cell.slice(0, percent.index) : cell)
    .replace(minusSigns, '-')
    .replace(/[\u00a0\u2009\u202f' ]/g, '')
  const hasComma = /^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)?,\d+(?:e[+-]?\d+)?$/i.test(numberText)
  const hasThousands = /^[+-]?\d{1,3}(?:,\d{3})+\.\d*$/.test(numberText)
  const decimalText = hasComma
    ? numberText.replaceAll('.', '').replace(',', '.')
    : hasThousands
      ? numberText.replaceAll(',', '')
      : numberText
  const value = parseDecimal(decimalText) ?? NaN
  return Number.isFinite(value) ? { value, hasPercent: percent !== null, hasComma } : null
}

interface DateCell {
  day: DayNumber
  /** Sentence about the time zone of a date with a time; null for a plain date. */
  zoneNote: string | null
}

const dateAndTime = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/

/** Parses a date, or a date with a time; null for other text. */
export function readDateCell(cell: string): DateCell | null {
  const match = dateAndTime.exec(cell)
  const dayMs = match ? parseDay(match[1]) : null
  if (!match || dayMs === null) return null
  const [, date, time, zone] = match
  if (time === undefined) return { day: dayMs / MS_PER_DAY, zoneNote: null }
  const offset = zone === undefined || zone === 'UTC' ? 'Z' : zone.replace(/^(.\d\d)(\d\d)$/, '$1:$2')
  const instant = Date.parse(`${date}T${time.length === 5 ? `${time}:00` : time}${offset}`)
  if (Number.isNaN(instant)) return null
  const day = Math.floor(instant / MS_PER_DAY)
  const reading = `“${cell}” is read as the UTC day ${dayFromNumber(day)}`
  return { day, zoneNote: zone === undefined ? `${reading}, because it names no time zone` : reading }
}

export const quoteText = (text: string) => `“${text.slice(0, 60)}”`

/** Collects warnings; what repeats throughout a file is reported once, with its first line and the number of cells. */
class WarningCollector {
  readonly warnings: FileWarning[] = []
  readonly #repeated = new Map<FileWarning['kind'], { line: number; detail: string; count: number }>()
  #lastDay = -Infinity

  add(line: number, kind: FileWarning['kind'], detail: string): void {
    this.warnings.push({ line, kind, detail })
  }

  addRepeated(line: number, kind: FileWarning['kind'], detail: string): void {
    const known = this.#repeated.get(kind)
    if (known) known.count++
    else this.#repeated.set(kind, { line, detail, count: 1 })
  }

  checkNumber(line: number, cell: string, { value, hasComma }: NumberCell): void {
    if (hasComma) this.addRepeated(line, 'decimal', `${quoteText(cell)} is read with a decimal comma, as ${value}`)
  }

  checkDate(line: number, { day, zoneNote }: DateCell): void {
    if (zoneNote !== null) this.addRepeated(line, 'zone', zoneNote)
    if (day < this.#lastDay)
      this.add(line, 'order', `${dayFromNumber(day)} comes after ${dayFromNumber(this.#lastDay)}`)
    this.#lastDay = day
  }

  /** Reports days that are missing between consecutive days of the file. */
  checkGaps(days: readonly { day: DayNumber; line: number }[]): void {
    days.forEach(({ day, line }, at) => {
      const missing = at === 0 ? 0 : day - days[at - 1].day - 1
      if (missing <= 0) return
      const [from, to] = [dayFromNumber(days[at - 1].day + 1), dayFromNumber(day - 1)]
      this.add(
        line,
        'gap',
        `${plural(missing, 'day is', 'days are')} missing before this line: ${missing === 1 ? from : `${from} to ${to}`}`,
      )
    })
  }

  all(): FileWarning[] {
    const repeated = [...this.#repeated].map(([kind, { line, detail, count }]) => ({
      line,
      kind,
      detail: count === 1 ? detail : `${detail} (likewise ${plural(count - 1, 'more cell')})`,
    }))
    return [...this.warnings, ...repeated].sort((a, b) => a.line - b.line)
  }
}

interface ReturnLine {
  line: number
  date: DateCell
  value: NumberCell | null
  benchmark: NumberCell | null
  cells: readonly string[]
}

/** Parses one line of returns; an empty cell is a day without a return. */
function returnLine({ line, cell }: NamedCsvRow<(typeof returnColumns)[number]>): ReturnLine | { problem: string } {
  const date = readDateCell(cell('date'))
  if (!date) return { problem: `${quoteText(cell('date'))} is not a date such as 2026-01-31` }
  const cells = [cell('return'), cell('benchmark')]
  const [value, benchmark] = cells.map(readNumberCell)
  const badColumn = cells.findIndex((text, at) => text !== '' && [value, benchmark][at] === null)
  if (badColumn >= 0) return { problem: `${quoteText(cells[badColumn])} is not a number` }
  return { line, date, value, benchmark, cells }
}

function readReturns(text: string, unit: ReturnUnit | null): ReturnsFile {
  const read = namedCsvRows(text, { needed: ['date', 'return'], optional: ['benchmark'] }, returnLine)
  if ('problems' in read) return { kind: 'unreadable', problems: read.problems }
  const cells = read.values.flatMap(({ value, benchmark }) => [value ?? [], benchmark ?? []].flat())
  const toFraction = fractionConversion(cells, unit)
  if (toFraction === null) return { kind: 'unit-needed' }
  const warnings = new WarningCollector()
  if (unit === null) warnAboutUnit(warnings, read.values)
  const byDay = new Map<DayNumber, ReturnLine>()
  for (const each of read.values) {
    const { line, date, value, benchmark } = each
    warnings.checkDate(line, date)
    ;[value, benchmark].forEach((number, at) => number && warnings.checkNumber(line, each.cells[at], number))
    if (value && toFraction(value) < -1)
      warnings.add(
        line,
        'below',
        `${quoteText(each.cells[0])} is a loss of more than 100 %, so everything after that day is meaningless`,
      )
    const before = byDay.get(date.day)
    if (before)
      warnings.add(
        line,
        'duplicate',
        `${dayFromNumber(date.day)} is also on line ${before.line}; the last one was used`,
      )
    byDay.set(date.day, each)
  }
  const lines = [...byDay.values()].sort((a, b) => a.date.day - b.date.day)
  warnings.checkGaps(lines.map(({ date: { day }, line }) => ({ day, line })))
  const seriesOf = (pick: (line: ReturnLine) => NumberCell | null): DailySeries => ({
    days: Int32Array.from(lines, ({ date }) => date.day),
    values: Float64Array.from(lines, (each) => {
      const number = pick(each)
      return number ? toFraction(number) : 0
    }),
    valid: Uint8Array.from(lines, (each) => (pick(each) ? 1 : 0)),
  })
  return {
    kind: 'returns',
    returns: seriesOf(({ value }) => value),
    benchmark: lines.some(({ benchmark }) => benchmark) ? seriesOf(({ benchmark }) => benchmark) : null,
    warnings: warnings.all(),
  }
}

const isBelowFraction = ({ hasPercent, value }: NumberCell) => !hasPercent && value < -1

/**
 * Chooses the conversion that turns numbers into fractions: by the unit that the user named, or by the per cent signs
 * if every number other than 0 has one. A plain number below −1 cannot be a fraction, so if there is one, all plain
 * numbers are per cent. Null if both readings are plausible.
 */
function fractionConversion(
  cells: readonly NumberCell[],
  unit: ReturnUnit | null,
): ((cell: NumberCell) => number) | null {
  const plain = cells.filter(({ hasPercent, value }) => !hasPercent && value !== 0)
  const knownUnit = unit ?? (plain.length === 0 ? 'fraction' : plain.some(isBelowFraction) ? 'percent' : null)
  if (knownUnit === null) return null
  return ({ value, hasPercent }) => (hasPercent || knownUnit === 'percent' ? value / 100 : value)
}

/** Reports the line that made all plain numbers per cent, because the mistake may be in that line. */
function warnAboutUnit(warnings: WarningCollector, lines: readonly ReturnLine[]): void {
  for (const { line, cells, value, benchmark } of lines) {
    const at = [value, benchmark].findIndex((number) => number !== null && isBelowFraction(number))
    if (at < 0) continue
    const reason = `${quoteText(cells[at])} cannot be a fraction, so all numbers without a per cent sign are read as per cent`
    warnings.add(line, 'unit', reason)
    return
  }
}

interface WeightLine extends WeightCell {
  date: DateCell
  cell: string
  number: NumberCell
}

function weightLine({ line, cell }: NamedCsvRow<(typeof weightColumns)[number]>): WeightLine | { problem: string } {
  const date = readDateCell(cell('date'))
  if (!date) return { problem: `${quoteText(cell('date'))} is not a date such as 2026-01-31` }
  if (cell('ticker') === '') return { problem: 'the column ticker is empty' }
  const text = cell('weight')
  const number = text === '' ? { value: 0, hasPercent: false, hasComma: false } : readNumberCell(text)
  if (!number) return { problem: `${quoteText(text)} is not a number` }
  return { line, date, ticker: cell('ticker'), cell: text, number, weight: 0 }
}

/** Smallest plain weight that is more likely meant in per cent than as a multiple of the portfolio. */
const LARGE_WEIGHT = 5

function readWeights(text: string, unit: ReturnUnit | null): ReturnsFile {
  const read = namedCsvRows<(typeof weightColumns)[number], WeightLine>(text, { needed: weightColumns }, weightLine)
  if ('problems' in read) return { kind: 'unreadable', problems: read.problems }
  const warnings = new WarningCollector()
  const byDay = new Map<DayNumber, Map<string, WeightCell>>()
  for (const { line, date, ticker, cell, number } of read.values) {
    warnings.checkDate(line, date)
    warnings.checkNumber(line, cell, number)
    const cells = byDay.get(date.day) ?? new Map<string, WeightCell>()
    byDay.set(date.day, cells)
    const before = cells.get(ticker)
    if (before)
      warnings.add(
        line,
        'duplicate',
        `${ticker} on ${dayFromNumber(date.day)} is also on line ${before.line}; the last one was used`,
      )
    const isPercent = number.hasPercent || unit === 'percent'
    if (!isPercent && Math.abs(number.value) >= LARGE_WEIGHT)
      warnings.addRepeated(
        line,
        'unit',
        `${quoteText(cell)} is read as ${number.value} times the portfolio; if the weights are in per cent, choose that unit`,
      )
    cells.set(ticker, { line, ticker, weight: isPercent ? number.value / 100 : number.value })
  }
  const days = [...byDay].map(([day, cells]) => ({ day, cells: [...cells.values()] })).sort((a, b) => a.day - b.day)
  warnings.checkGaps(days.map(({ day, cells }) => ({ day, line: cells[0].line })))
  return { kind: 'weights', days, warnings: warnings.all() }
}
