import { symbolColumn, type TableColumn } from '#shared/sheet/columns.ts'
import { coverageColumns } from '#shared/sheet/coverage.ts'
import { seriesColumns } from '#shared/sheet/seriesColumns.ts'
import { columnOf, type Frame, type NumberColumn } from '#shared/contract/frame.ts'
import { coverageText } from '../../text/coverage.ts'
import { symbolPartColumns, rowKeyReader, rowKeys, symbolPartSteps, symbolText } from './symbolFrame.ts'

const { columns: titles, share: shareText } = coverageText.table
export const rawCoverageColumns: readonly TableColumn[] = [
  symbolColumn,
  seriesColumns.dataset,
  ...symbolPartColumns,
  coverageColumns.first,
  coverageColumns.last,
  { key: 'timeline', ...titles.timeline, kind: 'text', widthPx: 120, sortable: false, format: () => '' },
  coverageColumns.days,
  coverageColumns.missing,
  {
    key: 'share',
    ...titles.share,
    kind: 'share',
    widthPx: 100,
    look: 'bar',
    format: (value) => shareText(Number(value)),
  },
  coverageColumns.bytes,
]

const KEY_COLUMNS = ['dataset', 'exchange', 'symbol']

const builtFrames = new WeakMap<Frame, Frame>()

/**
 * Adds base, quote and settlement currency of each symbol to the index of raw events. The symbols are parsed once,
 * however often the screen opens.
 */
export function* rawFrameSteps(coverage: Frame): Generator<void, Frame, void> {
  const built = builtFrames.get(coverage)
  if (built) return built
  const frame = {
    rows: coverage.rows,
    columns: [
      ...coverage.columns,
      ...(yield* symbolPartSteps(symbolText(coverage, 'symbol'))),
      // Timelines are drawn from the first and last day of their row, so this column has no values of its own.
      { name: 'timeline', kind: 'number' as const, values: new Float64Array(coverage.rows), valid: null },
    ],
  }
  builtFrames.set(coverage, frame)
  return frame
}

/** Adds a column with the fraction of days that are cached; it is empty while the cached days are unknown. */
export const withShares = (frame: Frame, cached: Frame | null): Frame => ({
  rows: frame.rows,
  columns: [...frame.columns, shareColumn(frame, cached)],
})

/** Builds the rows of the table step by step: the index with the components of its symbols and the cached fractions. */
export function* rawRowSteps(coverage: Frame, cached: Frame | null): Generator<void, Frame, void> {
  const frame = yield* rawFrameSteps(coverage)
  yield
  const rows = withShares(frame, cached)
  yield
  return rows
}

function shareColumn(coverage: Frame, cached: Frame | null): NumberColumn {
  const values = new Float64Array(coverage.rows)
  const column: NumberColumn = { name: 'share', kind: 'number', values, valid: null }
  if (!cached) return { ...column, valid: new Uint8Array(coverage.rows) }
  if (cached.rows === 0) return column
  const cachedDays = columnOf(cached, 'days')
  const days = columnOf(coverage, 'days')
  if (cachedDays?.kind !== 'number' || days?.kind !== 'number') return column
  const cachedDaysByKey = new Map(rowKeys(cached, KEY_COLUMNS).map((key, row) => [key, cachedDays.values[row]]))
  const keyOf = rowKeyReader(coverage, KEY_COLUMNS)
  const symbols = symbolText(coverage, 'symbol')
  const cachedSymbols = new Set(rowKeys(cached, ['symbol']))
  const isCachedByCode = symbols.dictionary.map((symbol) => cachedSymbols.has(symbol))
  for (let row = 0; row < coverage.rows; row += 1) {
    // Keys are built only for the few rows of cached symbols, because building the keys of all rows would be slow.
    const cachedDayCount = isCachedByCode[symbols.values[row]] ? (cachedDaysByKey.get(keyOf(row)) ?? 0) : 0
    // Files may also contain days that the index does not count.
    if (cachedDayCount > 0) values[row] = days.values[row] > 0 ? Math.min(1, cachedDayCount / days.values[row]) : 1
  }
  return column
}
