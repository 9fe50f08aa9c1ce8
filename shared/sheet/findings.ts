import type { JudgedFinding } from '#shared/contract/areas/quality.ts'
import { exactNumber, roundToDigits } from '#shared/units/numbers.ts'
import { seriesColumns } from './seriesColumns.ts'
import { column, type ReadColumn } from './sheet.ts'

/**
 * Formats a value with its significant digits, at most eight, because values of several metric columns share this
 * column.
 */
const valueText = (value: number | null) => (value === null ? null : exactNumber(roundToDigits(value, 8)))
const valueLook = { align: 'right', widthPx: 110 } as const

/** Columns of the findings of the quality checks. */
export const findingColumns: readonly ReadColumn<JudgedFinding>[] = [
  column('kind', 'Kind', 'text', ({ kind }) => kind, { widthPx: 136 }),
  seriesColumns.symbol,
  seriesColumns.exchange,
  {
    ...seriesColumns.dataset,
    value: ({ dataset, origin }) => (origin ? `${dataset} (computed)` : dataset),
  },
  column('column', 'Column', 'text', (each) => each.column, { widthPx: 110 }),
  {
    ...seriesColumns.interval,
    value: ({ interval, timestamp }) =>
      (timestamp === 'exchange' ? interval : `${interval} ${timestamp}`).trim() || null,
  },
  column('from', 'From', 'time', ({ from }) => from),
  column('to', 'To', 'time', ({ to }) => to),
  column('count', 'Count', 'count', ({ count }) => count, {
    hint: 'Missing: intervals; duplicate: surplus rows; out of order: rows in the wrong place; all other kinds: affected rows',
  }),
  column('value', 'Value', 'text', ({ value }) => valueText(value), valueLook),
  column('expected', 'Expected', 'text', ({ expected }) => valueText(expected), valueLook),
  column('detail', 'Detail', 'text', ({ detail }) => detail, { widthPx: 260, widestPx: 560 }),
]
