import { symbolColumn, type TableColumn } from '#shared/sheet/columns.ts'
import { intervals } from '#shared/catalog/intervals.ts'
import { cellOf, columnOf, numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import { coverageText } from '../../text/coverage.ts'
import { symbolPartColumns, symbolParts } from './symbolFrame.ts'

/** Highlights values other than zero, because most of the table is zero. */
const accentUnlessZero: TableColumn['tone'] = (value) => (Number(value) > 0 ? 'accent' : 'neutral')

const warnUnlessZero: TableColumn['tone'] = (value) => (Number(value) > 0 ? 'warning' : 'neutral')

const { columns: titles } = coverageText.table
export const metricColumns: readonly TableColumn[] = [
  symbolColumn,
  ...symbolPartColumns,
  { key: 'files', ...titles.files, kind: 'count', widthPx: 84, tone: accentUnlessZero },
  { key: 'missing', ...titles.missingCached, kind: 'count', widthPx: 84, tone: warnUnlessZero },
  { key: 'bytes', ...titles.bytes, kind: 'bytes', widthPx: 84, tone: accentUnlessZero },
  ...intervals.map((interval): TableColumn => ({
    key: interval,
    kind: 'count',
    widthPx: 56,
    ...titles.interval(interval),
    tone: accentUnlessZero,
  })),
]

interface CachedFiles {
  place: { exchange: string; symbol: string }
  files: number
  bytes: number
  byInterval: Map<string, number>
}

/**
 * Lists the symbols of each venue with their cached metric files of a dataset, or of all datasets if `dataset` is empty;
 * then the symbols that the service does not list, or no longer, of which files are cached.
 */
export function metricFrame(
  listed: readonly { exchange: string; symbols: readonly string[] }[],
  series: Frame | null,
  gaps: Frame | null,
  dataset: string,
): Frame {
  const cached = cachedBySymbol(series, dataset)
  const missing = missingBySymbol(gaps, dataset)
  const listedRows = listed.flatMap(({ exchange, symbols }) => symbols.map((symbol) => ({ exchange, symbol })))
  const listedKeys = new Set(listedRows.map(({ exchange, symbol }) => `${exchange}\n${symbol}`))
  const rows = [...listedRows, ...[...cached].flatMap(([key, { place }]) => (listedKeys.has(key) ? [] : place))]
  const filesOfRows = rows.map(({ exchange, symbol }) => cached.get(`${exchange}\n${symbol}`))
  const countColumn = (name: string, read: (each: CachedFiles) => number) =>
    numberColumn(
      name,
      filesOfRows.map((each) => (series ? (each ? read(each) : 0) : null)),
    )
  const symbolTexts = textColumn(
    'symbol',
    rows.map(({ symbol }) => symbol),
  )
  return {
    rows: rows.length,
    columns: [
      symbolTexts,
      textColumn(
        'exchange',
        rows.map(({ exchange }) => exchange),
      ),
      ...symbolParts(symbolTexts),
      countColumn('files', ({ files }) => files),
      countColumn('bytes', ({ bytes }) => bytes),
      numberColumn(
        'missing',
        rows.map(({ exchange, symbol }, row) =>
          gaps && series ? (filesOfRows[row] ? (missing.get(`${exchange}\n${symbol}`) ?? 0) : 0) : null,
        ),
      ),
      ...intervals.map((interval) => countColumn(interval, ({ byInterval }) => byInterval.get(interval) ?? 0)),
    ],
  }
}

/** Sums the missing days over each symbol's series of a dataset, or of all datasets if `dataset` is empty. */
function missingBySymbol(gaps: Frame | null, dataset: string): Map<string, number> {
  const missing = new Map<string, number>()
  if (!gaps) return missing
  const [datasets, exchanges, symbols, days] = ['dataset', 'exchange', 'symbol', 'missing'].map((name) =>
    columnOf(gaps, name),
  )
  if (!datasets || !exchanges || !symbols || !days) return missing
  for (let row = 0; row < gaps.rows; row += 1) {
    if (dataset !== '' && cellOf(datasets, row) !== dataset) continue
    const key = `${cellOf(exchanges, row)}\n${cellOf(symbols, row)}`
    missing.set(key, (missing.get(key) ?? 0) + Number(cellOf(days, row)))
  }
  return missing
}

function cachedBySymbol(series: Frame | null, dataset: string): Map<string, CachedFiles> {
  const cached = new Map<string, CachedFiles>()
  if (!series) return cached
  const columns = new Map(series.columns.map(({ name }) => [name, columnOf(series, name)]))
  for (let row = 0; row < series.rows; row += 1) {
    const cell = (name: string) => {
      const column = columns.get(name)
      return column ? cellOf(column, row) : null
    }
    if (cell('kind') !== 'metrics' || (dataset !== '' && cell('dataset') !== dataset)) continue
    const place = { exchange: String(cell('exchange')), symbol: String(cell('symbol')) }
    const key = `${place.exchange}\n${place.symbol}`
    const sum = cached.get(key) ?? { place, files: 0, bytes: 0, byInterval: new Map<string, number>() }
    const interval = String(cell('interval'))
    const files = Number(cell('files'))
    sum.files += files
    sum.bytes += Number(cell('bytes'))
    sum.byInterval.set(interval, (sum.byInterval.get(interval) ?? 0) + files)
    cached.set(key, sum)
  }
  return cached
}
