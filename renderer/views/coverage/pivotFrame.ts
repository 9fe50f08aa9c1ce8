import { symbolColumn, type TableColumn } from '#shared/sheet/columns.ts'
import { cellOf, columnOf, numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import { coverageText } from '../../text/coverage.ts'
import { symbolParts } from './symbolFrame.ts'

/** A table with a row per symbol and a column per dataset and venue. */
export interface Pivot {
  frame: Frame
  columns: TableColumn[]
  /** Dataset and venue by column key. */
  places: ReadonlyMap<string, { dataset: string; venue: string }>
}

interface PivotCell {
  symbol: string
  dataset: string
  exchange: string
  value: number | null
  missing: number
}

const { columns: titles, share: shareText } = coverageText.table
const columnKey = (dataset: string, exchange: string) => `${dataset} ${exchange}`

function cellsOf(frame: Frame, name: 'share' | 'files', isWanted: (row: number) => boolean): PivotCell[] {
  const columns = Object.fromEntries(
    ['symbol', 'dataset', 'exchange', name, 'missing'].map((key) => [key, columnOf(frame, key)]),
  )
  const cell = (key: string, row: number) => (columns[key] ? cellOf(columns[key], row) : null)
  const text = (key: string, row: number) => String(cell(key, row) ?? '')
  const rows = Array.from({ length: frame.rows }, (_, row) => row).filter(isWanted)
  return rows.map((row) => {
    const value = cell(name, row)
    return {
      symbol: text('symbol', row),
      dataset: text('dataset', row),
      exchange: text('exchange', row),
      value: typeof value === 'number' ? value : null,
      missing: Number(cell('missing', row) ?? 0),
    }
  })
}

/** Pivots the index of raw events: the cached fraction of every symbol by dataset and venue. */
export const rawPivot = (frame: Frame, filter: PivotFilter): Pivot =>
  pivotOf(
    cellsOf(frame, 'share', () => true),
    filter,
    { kind: 'share', look: 'bar', format: (value) => shareText(Number(value)) },
  )

/** Pivots the cached metric files: the number of files of every symbol by dataset and venue. */
export function metricPivot(series: Frame, gaps: Frame | null, filter: PivotFilter): Pivot {
  const kind = columnOf(series, 'kind')
  const cells = cellsOf(series, 'files', (row) => kind !== undefined && cellOf(kind, row) === 'metrics')
  const missing = new Map<string, number>()
  const seriesKey = ({ dataset, exchange, symbol }: PivotCell) => [dataset, exchange, symbol].join('\n')
  for (const gap of gaps ? cellsOf(gaps, 'files', () => true) : [])
    missing.set(seriesKey(gap), (missing.get(seriesKey(gap)) ?? 0) + gap.missing)
  const withGaps = cells.map((cell) => ({ ...cell, missing: missing.get(seriesKey(cell)) ?? 0 }))
  return pivotOf(withGaps, filter, { kind: 'count', heat: { scale: 'sequential', low: 0 } })
}

interface PivotFilter {
  /** Dataset to show; empty for all. */
  dataset: string
  venue: string
  hasGaps: boolean
}

function pivotOf(all: readonly PivotCell[], filter: PivotFilter, valueColumn: Partial<TableColumn>): Pivot {
  const cells = all.filter(
    ({ dataset, exchange, missing }) =>
      (filter.dataset === '' || dataset === filter.dataset) &&
      (filter.venue === '' || exchange === filter.venue) &&
      (!filter.hasGaps || missing > 0),
  )
  const places = new Map<string, { dataset: string; venue: string }>()
  const bySymbol = new Map<string, Map<string, number>>()
  for (const { symbol, dataset, exchange, value } of cells) {
    const key = columnKey(dataset, exchange)
    places.set(key, { dataset, venue: exchange })
    const row = bySymbol.get(symbol) ?? new Map<string, number>()
    bySymbol.set(symbol, row)
    // A symbol may have files of several intervals in one dataset; these are added up.
    if (value !== null) row.set(key, (row.get(key) ?? 0) + value)
  }
  const rows = [...bySymbol.values()]
  const symbolTexts = textColumn('symbol', [...bySymbol.keys()])
  const sorted = [...places].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    frame: {
      rows: rows.length,
      columns: [
        symbolTexts,
        ...symbolParts(symbolTexts),
        ...sorted.map(([key]) =>
          numberColumn(
            key,
            rows.map((row) => row.get(key) ?? null),
          ),
        ),
      ],
    },
    columns: [
      symbolColumn,
      { key: 'base', ...titles.base, kind: 'text', widthPx: 92 },
      ...sorted.map(([key, { dataset, venue }]): TableColumn => ({
        key,
        title: coverageText.pivot.column(dataset, venue),
        kind: 'count',
        hint: coverageText.pivot.hint(dataset, venue),
        ...valueColumn,
      })),
    ],
    places: new Map(sorted),
  }
}
