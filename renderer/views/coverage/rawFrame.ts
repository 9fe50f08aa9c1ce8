import { columnOf, type Frame, type NumberColumn } from '#shared/contract/frame.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { symbolColumn, type TableColumn } from '../../tables/columns.ts'
import { partColumns, rowKeys, symbolParts, textOf } from './symbolFrame.ts'

export const rawColumns: readonly TableColumn[] = [
  symbolColumn,
  { key: 'dataset', title: 'Dataset', kind: 'text', widthPx: 104 },
  ...partColumns,
  { key: 'first', title: 'First day', kind: 'time', widthPx: 116 },
  { key: 'last', title: 'Last day', kind: 'time', widthPx: 116 },
  { key: 'days', title: 'Days', kind: 'count', widthPx: 66 },
  {
    key: 'missing',
    title: 'Missing',
    kind: 'count',
    widthPx: 78,
    hint: 'Days without data between the first and the last one; the index does not say which',
    tone: (value) => (Number(value) > 0 ? 'warning' : 'neutral'),
  },
  {
    key: 'share',
    title: 'Cached',
    kind: 'share',
    widthPx: 100,
    look: 'bar',
    format: (value) => shareWords(Number(value)),
    hint: 'Of its days, how many are here',
  },
]

/** Never 0 where something is here, never 100 where something is not. */
const shareWords = (share: number) =>
  share === 0 || share === 1 ? String(share * 100) : formatNumber(Math.min(99.9, Math.max(0.1, share * 100)), 1)

const NAMES = ['dataset', 'exchange', 'symbol']

const known = new WeakMap<Frame, Frame>()

/** The index of raw events with the parts of each symbol; taken apart once, however often the screen is opened. */
export function rawFrame(coverage: Frame): Frame {
  const parts = known.get(coverage) ?? {
    rows: coverage.rows,
    columns: [...coverage.columns, ...symbolParts(textOf(coverage, 'symbol'))],
  }
  known.set(coverage, parts)
  return parts
}

/** And how much of it is here; missing while that is not known. */
export const withShares = (frame: Frame, cached: Frame | null): Frame => ({
  rows: frame.rows,
  columns: [...frame.columns, shareColumn(frame, cached)],
})

function shareColumn(coverage: Frame, cached: Frame | null): NumberColumn {
  const values = new Float64Array(coverage.rows)
  const column: NumberColumn = { name: 'share', kind: 'number', values, valid: null }
  if (!cached) return { ...column, valid: new Uint8Array(coverage.rows) }
  if (cached.rows === 0) return column
  const cachedDays = columnOf(cached, 'days')
  const days = columnOf(coverage, 'days')
  if (cachedDays?.kind !== 'number' || days?.kind !== 'number') return column
  const daysByKey = new Map(rowKeys(cached, NAMES).map((key, row) => [key, cachedDays.values[row]]))
  rowKeys(coverage, NAMES).forEach((key, row) => {
    const here = daysByKey.get(key) ?? 0
    // Files may also hold days that the index does not count.
    if (here > 0) values[row] = days.values[row] > 0 ? Math.min(1, here / days.values[row]) : 1
  })
  return column
}
