import { emptyModel, type ChartModel, type ChartSeries, type Pane } from '../../../../renderer/charts/model.ts'

export const FIRST_MS = Date.UTC(2026, 7, 1)
export const MINUTE_MS = 60_000

/** Returns numbers that look random but are the same in every run. */
const noise = (row: number, salt: number) => {
  const mixed = Math.imul((row + 1) ^ (salt * 0x9e37_79b9), 0x85eb_ca6b)
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32
}

export function walk(rows: number, salt: number, start: number, size: number): Float64Array {
  const values = new Float64Array(rows)
  let value = start
  for (let row = 0; row < rows; row += 1) {
    value += (noise(row, salt) - 0.5 + (start - value) * 1e-4) * size
    values[row] = value
  }
  return values
}

export const minutes = (rows: number, fromRow = 0): Float64Array =>
  Float64Array.from({ length: rows }, (_, row) => FIRST_MS + (row + fromRow) * MINUTE_MS)

export function series(id: string, parts: Partial<ChartSeries>): ChartSeries {
  return {
    id,
    label: id,
    unit: 'price',
    kind: 'price',
    times: new Float64Array(0),
    values: new Float64Array(0),
    valid: null,
    style: 'line',
    axis: 'auto',
    transform: 'none',
    colour: 0,
    ...parts,
  }
}

const pane = (id: string, all: ChartSeries[], scale: Pane['scale'] = 'linear'): Pane => ({
  id,
  title: id,
  series: all,
  scale,
})

function candles(rows: number): ChartSeries {
  const close = walk(rows, 1, 64_000, 40)
  const open = Float64Array.from(close, (value, row) => (row === 0 ? value : close[row - 1]))
  const high = Float64Array.from(close, (value, row) => Math.max(value, open[row]) + noise(row, 7) * 25)
  const low = Float64Array.from(close, (value, row) => Math.min(value, open[row]) - noise(row, 8) * 25)
  const volume = Float64Array.from(close, (_, row) => noise(row, 9) ** 3 * 100)
  return series('BTC-USDT', {
    times: minutes(rows),
    values: close,
    candles: { open, high, low, volume },
    style: 'candles',
  })
}

/**
 * Creates two lines: in the first, the values of the middle fifth of the rows are masked; in the second, these rows do
 * not exist.
 */
function gaps(rows: number): Pane[] {
  const from = Math.floor(rows * 0.4)
  const to = Math.floor(rows * 0.6)
  const values = walk(rows, 3, 100, 2)
  const valid = Uint8Array.from(values, (_, row) => (row >= from && row < to ? 0 : 1))
  const times = minutes(rows)
  const withoutGap = (array: Float64Array) => Float64Array.from([...array.subarray(0, from), ...array.subarray(to)])
  return [
    pane('masked', [series('masked', { times, values, valid })]),
    pane('absent', [
      series('absent rows', { times: withoutGap(times), values: withoutGap(values), style: 'area', colour: 1 }),
    ]),
  ]
}

const builders: Record<string, (rows: number) => Partial<ChartModel>> = {
  line: (rows) => ({
    panes: [pane('price', [series('BTC', { times: minutes(rows), values: walk(rows, 1, 64_000, 40) })])],
  }),
  tall: (rows) => ({
    panes: Array.from({ length: 24 }, (_, at) =>
      pane(`pane ${at + 1}`, [series(`series ${at + 1}`, { times: minutes(rows), values: walk(rows, at, 100, 2) })]),
    ),
  }),
  candles: (rows) => ({
    panes: [
      pane('ohlcv', [candles(rows)]),
      pane('flow', [
        series('imbalance', {
          times: minutes(rows),
          values: walk(rows, 4, 0.1, 0.2),
          unit: 'none',
          kind: 'ratio',
          style: 'bar',
          colour: 2,
        }),
      ]),
    ],
  }),
  log: (rows) => ({
    panes: [
      pane(
        'log',
        [
          series('volume', {
            times: minutes(rows),
            values: Float64Array.from({ length: rows }, (_, row) =>
              row % 97 === 5 ? 0 : 10 ** (noise(row, 2) * 5 - 1),
            ),
            unit: 'amount',
            kind: 'volume',
            style: 'points',
          }),
        ],
        'log',
      ),
      pane(
        'symlog',
        [
          series('net', {
            times: minutes(rows),
            values: Float64Array.from({ length: rows }, (_, row) => Math.sinh(Math.sin(row / 90) * 9)),
            unit: 'quote',
            kind: 'notional',
            style: 'step',
            colour: 3,
          }),
        ],
        'symlog',
      ),
    ],
  }),
  gap: (rows) => ({ panes: gaps(rows) }),
  many: (rows) => ({
    panes: [
      pane(
        'venues',
        Array.from({ length: 9 }, (_, at) =>
          series(`Signed trade imbalance of BTC-USDT at venue ${at + 1}`, {
            times: minutes(rows),
            values: walk(rows, at + 1, 64_000, 40),
            colour: at % 8,
          }),
        ),
      ),
    ],
  }),
  two: (rows) => ({
    panes: [
      pane('venues', [
        series('Binance', { times: minutes(rows), values: walk(rows, 1, 64_000, 40) }),
        series('Bybit', { times: minutes(rows), values: walk(rows, 2, 64_020, 40), colour: 1 }),
        series('spread', { times: minutes(rows), values: walk(rows, 5, 2, 1), unit: 'bps', kind: 'bps', colour: 2 }),
      ]),
      pane('compare', [
        series('BTC', { times: minutes(rows), values: walk(rows, 1, 64_000, 40), transform: 'percentFromStart' }),
        series('ETH', {
          times: minutes(rows),
          values: walk(rows, 6, 3000, 4),
          transform: 'percentFromStart',
          colour: 1,
        }),
      ]),
      pane('funding', [
        series('rate', {
          times: minutes(rows),
          values: walk(rows, 8, 0.0001, 0.00002),
          unit: 'none',
          kind: 'rate',
          transform: 'zscore',
          style: 'area',
          colour: 3,
        }),
      ]),
    ],
    notes: [{ id: 'n1', timeMs: FIRST_MS + rows * 0.3 * MINUTE_MS, text: 'Listing on a second venue' }],
    bands: [
      {
        id: 'risk',
        kind: 'regime',
        label: 'risk-off',
        startMs: FIRST_MS + rows * 0.5 * MINUTE_MS,
        endMs: FIRST_MS + rows * 0.7 * MINUTE_MS,
        colour: 4,
      },
    ],
  }),
  absent: (rows) => {
    const endMs = FIRST_MS + rows * MINUTE_MS
    const laterMs = endMs + rows * 0.5 * MINUTE_MS
    return {
      panes: [pane('price', [series('BTC', { times: minutes(rows), values: walk(rows, 1, 64_000, 40) })])],
      bands: [
        { id: 'later', kind: 'missing', label: 'August not downloaded', startMs: endMs, endMs: laterMs, colour: 0 },
      ],
      coverage: [
        { startMs: FIRST_MS - rows * 0.2 * MINUTE_MS, endMs: FIRST_MS, state: 'absent' },
        { startMs: FIRST_MS, endMs, state: 'cached' },
        { startMs: endMs, endMs: laterMs, state: 'available' },
      ],
    }
  },
  point: () => ({ panes: [pane('one', [series('one', { times: minutes(1), values: Float64Array.of(42) })])] }),
  nothing: (rows) => ({
    panes: [pane('none', [series('none', { times: minutes(rows), values: new Float64Array(rows).fill(NaN) })])],
  }),
  empty: () => ({}),
}

export const modelOf = (kind: string, rows: number): ChartModel => ({
  ...emptyModel('Synthetic'),
  ...builders[kind](rows),
})
