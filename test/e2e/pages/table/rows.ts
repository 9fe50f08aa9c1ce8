import type { TableColumn } from '#shared/sheet/columns.ts'
import { timeColumn, type Frame, type NumberColumn, type TextColumn } from '#shared/contract/frame.ts'
import { frameRows } from '../../../../renderer/tables/frameRows.ts'
import { pagedRows } from '../../../../renderer/tables/pagedRows.ts'
import type { RowSource } from '../../../../renderer/tables/rows.ts'

const FIRST_MS = Date.UTC(2026, 7, 1)
const bases = ['BTC', 'ETH', 'SOL', '龙', 'DOGE', '1000PEPE']
const states = ['cached', 'partial', 'missing', 'failed']

/** Returns numbers that look random but are the same in every run. */
const noise = (row: number, salt: number) => {
  const mixed = Math.imul((row + 1) ^ (salt * 0x9e37_79b9), 0x85eb_ca6b)
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32
}

function numbers(name: string, rows: number, valueOf: (row: number) => number, everyMissing = 0): NumberColumn {
  const values = new Float64Array(rows)
  for (let row = 0; row < rows; row += 1) values[row] = valueOf(row)
  const valid = everyMissing ? Uint8Array.from(values, (_, row) => (row % everyMissing === 1 ? 0 : 1)) : null
  return { name, kind: 'number', values, valid }
}

function texts(name: string, rows: number, dictionary: string[], codeOf: (row: number) => number): TextColumn {
  const values = new Int32Array(rows)
  for (let row = 0; row < rows; row += 1) values[row] = codeOf(row) % dictionary.length
  return { name, kind: 'text', values, dictionary, valid: null }
}

const symbols = Array.from({ length: 20_000 }, (_, at) => `${bases[at % bases.length]}-${at}-USDT`)

export function syntheticFrame(rows: number, from = 0): Frame {
  const ratio = numbers('ratio', rows, (row) => noise(row + from, 2) * 4 - 2, 7)
  if (rows > 5) ratio.values.set([NaN, Infinity, -Infinity, 0], 2)
  return {
    rows,
    columns: [
      texts('symbol', rows, symbols, (row) => row + from),
      texts('state', rows, states, (row) => Math.floor(noise(row + from, 1) * 4)),
      {
        ...timeColumn('time', []),
        values: Float64Array.from({ length: rows }, (_, row) => FIRST_MS + (row + from) * 250),
      },
      numbers('price', rows, (row) => 60_000 + noise(row + from, 3) * 5000),
      numbers('volume', rows, (row) => noise(row + from, 4) ** 4 * 1e6, 11),
      ratio,
      numbers('share', rows, (row) => noise(row + from, 5)),
      numbers('row', rows, (row) => row + from),
    ],
  }
}

const WIDE = 40

export const columns: TableColumn[] = [
  { key: 'symbol', title: 'Symbol', kind: 'text' },
  {
    key: 'state',
    title: 'State',
    kind: 'text',
    look: 'badge',
    widthPx: 90,
    tone: (value) => (value === 'failed' ? 'negative' : value === 'cached' ? 'positive' : 'warning'),
  },
  { key: 'time', title: 'Time', kind: 'time', hint: 'When the interval starts' },
  { key: 'price', title: 'Price', kind: 'price', unit: 'USDT' },
  { key: 'volume', title: 'Volume', kind: 'volume', unit: 'amount', heat: { scale: 'sequential' } },
  { key: 'ratio', title: 'Imbalance', kind: 'ratio', heat: { scale: 'diverging' } },
  { key: 'share', title: 'Cached', kind: 'share', look: 'bar' },
  { key: 'row', title: 'Row', kind: 'count' },
  ...Array.from({ length: WIDE }, (_, at): TableColumn => ({ key: 'price', title: `Price ${at}`, kind: 'price' })).map(
    (column, at) => ({ ...column, key: `price${at}` }),
  ),
]

const withWide = (frame: Frame): Frame => ({
  ...frame,
  columns: [
    ...frame.columns,
    ...Array.from({ length: WIDE }, (_, at) => ({ ...frame.columns[3], name: `price${at}` }) as NumberColumn),
  ],
})

const PAGE_DELAY_MS = 20

/** Creates rows that are either all in memory or loaded in pages after a delay, depending on `kind`. */
export function syntheticRows(kind: string, count: number): RowSource {
  if (kind === 'frame') return frameRows(withWide(syntheticFrame(count)))
  return pagedRows(async ({ from, to }, signal) => {
    await new Promise((resolve) => setTimeout(resolve, PAGE_DELAY_MS))
    signal.throwIfAborted()
    return { frame: withWide(syntheticFrame(Math.min(to, count) - from, from)), count }
  })
}
