/** Reads files with a value by day, or by day and ticker, as lists and tear sheets read theirs. */
import type { DayNumber } from '../../time/periods.ts'
import { csvRows, namedCsvRows } from '../../units/csvRows.ts'
import type { DailySeries } from '../dailySeries.ts'
import { quoteText, readDateCell, readNumberCell, readReturnsFile } from '../returnsFile.ts'
import { BookError } from './bookError.ts'
import type { GivenFile } from './bookFiles.ts'

/** Values by day and ticker, row by row; NaN where there is none. Days ascend. */
export interface TickerFile {
  days: Int32Array
  tickers: string[]
  values: Float64Array
}

const HEAD_CHARACTERS = 100_000

/** Tells by its head whether a file has returns, weights or prices. */
export function ownKindOf({ file, text }: GivenFile): 'returns' | 'weights' | 'prices' {
  const head = csvRows(text.slice(0, HEAD_CHARACTERS)).at(0)?.cells ?? []
  const names = head.map((name) => name.trim().toLowerCase())
  if (names.includes('ticker')) {
    if (names.includes('weight')) return 'weights'
    if (names.includes('price')) return 'prices'
  } else if (names.includes('return')) return 'returns'
  throw new BookError(
    `${file}, line 1: the header is neither date,return nor date,ticker,weight nor date,ticker,price.`,
  )
}

interface TickerCell {
  day: DayNumber
  ticker: string
  value: number
}

const MOST_PROBLEMS = 20

/** Throws a `BookError` that names the file and its bad lines; the later row of a date and ticker stands. */
export function readTickerFile({ file, text }: GivenFile, valueColumn: 'value' | 'weight' | 'price'): TickerFile {
  const read = namedCsvRows(
    text,
    { needed: ['date', 'ticker', valueColumn] },
    ({ cell }): TickerCell | { problem: string } => {
      const date = readDateCell(cell('date'))
      if (!date) return { problem: `${quoteText(cell('date'))} is not a date such as 2026-01-31` }
      if (cell('ticker') === '') return { problem: 'the column ticker is empty' }
      const number = readNumberCell(cell(valueColumn))
      if (!number && cell(valueColumn) !== '') return { problem: `${quoteText(cell(valueColumn))} is not a number` }
      const value = number ? (number.hasPercent ? number.value / 100 : number.value) : NaN
      return { day: date.day, ticker: cell('ticker'), value }
    },
  )
  if ('problems' in read) throw problemsError(file, read.problems)
  const tickers = [...new Set(read.values.map(({ ticker }) => ticker))].sort()
  const days = Int32Array.from(new Set(read.values.map(({ day }) => day))).sort()
  const rowOf = new Map(Array.from(days, (day, row) => [day, row]))
  const columnOf = new Map(tickers.map((ticker, column) => [ticker, column]))
  const values = new Float64Array(days.length * tickers.length).fill(NaN)
  for (const { day, ticker, value } of read.values)
    values[(rowOf.get(day) ?? 0) * tickers.length + (columnOf.get(ticker) ?? 0)] = value
  return { days, tickers, values }
}

function problemsError(file: string, problems: readonly string[]): BookError {
  const more = problems.length - MOST_PROBLEMS
  return new BookError(
    `${file}, ${problems.slice(0, MOST_PROBLEMS).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`,
  )
}

/** Reads daily returns; plain numbers are fractions unless one of them cannot be or `unit` says otherwise. */
export function readOwnReturns({ file, text }: GivenFile, unit: 'percent' | 'fraction' | null): DailySeries {
  let read = readReturnsFile(text, unit)
  if (read.kind === 'unit-needed') read = readReturnsFile(text, 'fraction')
  if (read.kind === 'returns') return read.returns
  throw problemsError(file, read.kind === 'unreadable' ? read.problems : ['line 1: the header is not date,return'])
}
