import { endpointSpec } from '#shared/catalog/portfolioEndpoints.ts'
import { tickersOf, type HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import type { LiveAnswer, PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { cellOf, columnOf, type Column, type Frame } from '#shared/contract/frame.ts'
import type { Cell } from '#shared/sheet/columns.ts'
import { dayOf } from '#shared/time.ts'
import { madeWhenWritten } from '#shared/units/jsonPieces.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { sectionLines, sheetTableLines } from './sheetLines.ts'

const cellsOf = (column: Column | undefined, rows: number): Cell[] =>
  column ? Array.from({ length: rows }, (_, row) => cellOf(column, row)) : []

const daysOf = ({ columns, rows }: Frame): string[] => cellsOf(columns[0], rows).map((time) => dayOf(Number(time)))

/** Returns a history in the format of the service. */
export function historyDocument(request: HistoryRequest, frame: Frame) {
  const index = daysOf(frame)
  const numberColumns = frame.columns.slice(1)
  const columns = numberColumns.map(({ name }) => name)
  const { answer } = endpointSpec(request.endpoint)
  const isSeries = answer === 'series' || (answer === 'prices' && tickersOf(request)?.length === 1)
  const rowOf = (row: number) => madeWhenWritten(() => numberColumns.map((column) => cellOf(column, row)))
  if (!isSeries) return { data: index.map((_, row) => rowOf(row)), index, columns }
  const data = cellsOf(numberColumns[0], frame.rows)
  return request.endpoint === 'returns' ? { data, index, columns } : { data, index }
}

/** Numbers with all their digits, which a service may give in any unit. */
const exact = {
  kind: 'statistic',
  isName: true,
  format: (value: number | string) => (typeof value === 'number' ? exactNumber(value) : value),
} as const

export const historyLines = (frame: Frame): Iterable<string> =>
  sheetTableLines({
    kind: 'table',
    id: 'history',
    title: '',
    columns: frame.columns.map(({ name }, at) =>
      at === 0 ? { key: name, title: 'Date', kind: 'time' } : { key: name, title: name, ...exact },
    ),
    frame,
  })

/** Returns a live answer in the format of the service. */
export function liveDocument({ day, createdAt, rows }: LiveAnswer) {
  const dates = { index: dayOf(day), createdAt: createdAt === null ? null : new Date(createdAt).toISOString() }
  const data = cellsOf(columnOf(rows, 'value'), rows.rows)
  const tickers = columnOf(rows, 'ticker')
  return tickers ? { data, columns: cellsOf(tickers, rows.rows), ...dates } : { data: data[0] ?? null, ...dates }
}

export function liveLines({ day, createdAt, rows }: LiveAnswer): string[] {
  const title = `${dayOf(day)}, ${generatedText(createdAt)}`
  const named = columnOf(rows, 'ticker') ? [{ key: 'ticker', title: 'Ticker', kind: 'text' } as const] : []
  const columns = [...named, { key: 'value', title, ...exact }]
  return sectionLines({ kind: 'table', id: 'live', title: '', columns, frame: rows })
}

/** Lists notes about a portfolio answer: when it was fetched, its last day, its problems, and why it is not newer. */
export function portfolioNotes({ fetchedAt, source, dataEndsAt, problems, trouble }: PortfolioFreshness): string[] {
  const endText = dataEndsAt === null ? '' : `; the data ends on ${dayOf(dataEndsAt)}`
  const why = trouble && `${trouble.sentence} Showing the answer fetched earlier.`
  return [`As of ${minuteOf(fetchedAt)}, from ${source}${endText}`, ...(why ? [why] : []), ...problems]
}

const generatedText = (createdAt: number | null) =>
  createdAt === null ? 'time of generation not said' : `generated ${minuteOf(createdAt)}`

const minuteOf = (timeMs: number) => `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
