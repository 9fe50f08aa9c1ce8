import { intervals } from '#shared/catalog/intervals.ts'
import { cellOf, columnOf, numberColumn, textColumn, type Frame } from '#shared/contract/frame.ts'
import { symbolColumn, type TableColumn } from '../../tables/columns.ts'
import { partColumns, symbolParts } from './symbolFrame.ts'

/** Most of the table is zero: what is not stands out. */
const quietZero: TableColumn['tone'] = (value) => (Number(value) > 0 ? 'accent' : 'neutral')

export const metricColumns: readonly TableColumn[] = [
  symbolColumn,
  ...partColumns,
  { key: 'files', title: 'Files here', kind: 'count', widthPx: 84, tone: quietZero },
  { key: 'bytes', title: 'Size', kind: 'bytes', widthPx: 84, tone: quietZero },
  ...intervals.map((interval): TableColumn => ({
    key: interval,
    title: interval,
    kind: 'count',
    widthPx: 56,
    hint: `Files of ${interval} that are here`,
    tone: quietZero,
  })),
]

interface Held {
  files: number
  bytes: number
  byInterval: Map<string, number>
}

/** The symbols of each venue with the metric files that are here; of one dataset where it is not empty. */
export function metricFrame(
  listed: readonly { exchange: string; symbols: readonly string[] }[],
  series: Frame | null,
  dataset: string,
): Frame {
  const held = heldBySymbol(series, dataset)
  const rows = listed.flatMap(({ exchange, symbols }) => symbols.map((symbol) => ({ exchange, symbol })))
  const heldOf = rows.map(({ exchange, symbol }) => held.get(`${exchange}\n${symbol}`))
  const count = (name: string, of: (each: Held) => number) =>
    numberColumn(
      name,
      heldOf.map((each) => (series ? (each ? of(each) : 0) : null)),
    )
  const named = textColumn(
    'symbol',
    rows.map(({ symbol }) => symbol),
  )
  return {
    rows: rows.length,
    columns: [
      named,
      textColumn(
        'exchange',
        rows.map(({ exchange }) => exchange),
      ),
      ...symbolParts(named),
      count('files', ({ files }) => files),
      count('bytes', ({ bytes }) => bytes),
      ...intervals.map((interval) => count(interval, ({ byInterval }) => byInterval.get(interval) ?? 0)),
    ],
  }
}

function heldBySymbol(series: Frame | null, dataset: string): Map<string, Held> {
  const held = new Map<string, Held>()
  if (!series) return held
  const columns = new Map(series.columns.map(({ name }) => [name, columnOf(series, name)]))
  for (let row = 0; row < series.rows; row += 1) {
    const cell = (name: string) => {
      const column = columns.get(name)
      return column ? cellOf(column, row) : null
    }
    if (cell('kind') !== 'metrics' || (dataset !== '' && cell('dataset') !== dataset)) continue
    const key = `${cell('exchange')}\n${cell('symbol')}`
    const sum = held.get(key) ?? { files: 0, bytes: 0, byInterval: new Map<string, number>() }
    const interval = String(cell('interval'))
    const files = Number(cell('files'))
    sum.files += files
    sum.bytes += Number(cell('bytes'))
    sum.byInterval.set(interval, (sum.byInterval.get(interval) ?? 0) + files)
    held.set(key, sum)
  }
  return held
}
