import type { LongRows } from '#shared/lab/panel.ts'
import { randomOf } from './panelWorld.ts'

interface ScreenWorld {
  seed: number
  bars: number
  columns: number
  /** Number of columns that are near copies of each other. */
  groupSize?: number
  symbols?: number
  stepMs?: number
}

/**
 * Creates rows without an effect: returns with clusters of volatility, and columns with autocorrelation 0.9 in groups of
 * near copies.
 */
export function noiseRows({
  seed,
  bars,
  columns,
  groupSize = 4,
  symbols = 1,
  stepMs = 3_600_000,
}: ScreenWorld): LongRows {
  const random = randomOf(seed)
  const normal = () => Math.sqrt(-2 * Math.log(random() + Number.MIN_VALUE)) * Math.cos(2 * Math.PI * random())
  const count = bars * symbols
  const close = new Float64Array(count)
  const names = Array.from({ length: columns }, (_, at) => `c${at}`)
  const values = new Map(names.map((name) => [name, new Float64Array(count)]))
  for (let symbol = 0; symbol < symbols; symbol++) {
    let price = 100
    let volatility = 0
    const groups = new Float64Array(Math.ceil(columns / groupSize))
    for (let bar = 0; bar < bars; bar++) {
      const row = symbol * bars + bar
      volatility = 0.97 * volatility + 0.25 * normal()
      price *= Math.exp(0.004 * Math.exp(0.5 * volatility) * normal())
      close[row] = price
      for (let group = 0; group < groups.length; group++) groups[group] = 0.9 * groups[group] + normal()
      names.forEach((name, at) => {
        const column = values.get(name)
        if (column) column[row] = groups[Math.floor(at / groupSize)] + 0.3 * normal()
      })
    }
  }
  return {
    times: Float64Array.from({ length: count }, (_, row) => Date.UTC(2026, 0, 1) + (row % bars) * stepMs),
    symbols: Int32Array.from({ length: count }, (_, row) => Math.floor(row / bars)),
    names: Array.from({ length: symbols }, (_, at) => `S${at}`),
    columns: new Map([['close', close], ...values]),
    member: null,
    otherColumns: [],
    columnNames: ['close', ...names],
  }
}
