import type { TableColumn } from './columns.ts'

/** Columns that describe the days of raw events that a catalog lists for a symbol. */
export const coverageColumns = {
  first: { key: 'first', title: 'First day', kind: 'time', widthPx: 116 },
  last: { key: 'last', title: 'Last day', kind: 'time', widthPx: 116 },
  days: { key: 'days', title: 'Days', kind: 'count', widthPx: 66 },
  missing: {
    key: 'missing',
    title: 'Missing',
    kind: 'count',
    hint: 'Days without data between the first and the last',
    widthPx: 78,
    tone: (value) => (Number(value) > 0 ? 'warning' : 'neutral'),
  },
  bytes: {
    key: 'bytes',
    title: 'Size',
    kind: 'bytes',
    hint: 'Size of all files, as the catalog says it',
    widthPx: 84,
  },
} satisfies Record<string, TableColumn>
