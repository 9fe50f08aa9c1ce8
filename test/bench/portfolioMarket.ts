import type { Panel } from '../../shared/lab/panel.ts'
import { parsePortfolioStudy } from '../../shared/lab/parseStudy.ts'

export const SYMBOLS = 300
export const BARS = 3 * 365 * 24
const HOUR_MS = 3_600_000
const START_MS = Date.UTC(2023, 0, 1)

/** Generates a panel in memory with prices, signals and every column that costs depend on. */
export function marketPanel(symbols = SYMBOLS, timeCount = BARS): Panel {
  const cells = symbols * timeCount
  const names = ['close', 'signal', 'funding', 'spread', 'sigma', 'volume']
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
  const column = (of: (symbol: number, time: number, before: number) => number) => {
    const values = new Float64Array(cells)
    for (let symbol = 0, cell = 0; symbol < symbols; symbol++) {
      let before = NaN
      for (let time = 0; time < timeCount; time++, cell++) values[cell] = before = of(symbol, time, before)
    }
    return { values, valid: new Uint8Array(cells).fill(1) }
  }
  const columns = new Map([
    ['close', column((_, time, before) => (time === 0 ? 50 + 100 * random() : before * (1 + 0.01 * (random() - 0.5))))],
    ['signal', column(() => random() - 0.5)],
    ['funding', column((_, time) => (time % 8 === 7 ? 0.0004 * (random() - 0.5) : 0))],
    ['spread', column(() => 5 * random())],
    ['sigma', column(() => 0.01 * random())],
    ['volume', column(() => 1e7 * (0.2 + random()))],
  ])
  return {
    intervalMs: HOUR_MS,
    firstSlot: START_MS / HOUR_MS,
    timeCount,
    symbols: Array.from({ length: symbols }, (_, at) => `S${String(at).padStart(3, '0')}`),
    columns,
    hasRow: new Uint8Array(cells).fill(1),
    member: null,
    otherColumns: [],
    columnNames: names,
    rows: cells,
    duplicates: 0,
  }
}

/** Returns the study of a portfolio test with every kind of cost. */
export const costlyTest = (signal = 'signal') =>
  parsePortfolioStudy(
    {
      version: 1,
      kind: 'portfolio',
      interval: '1h',
      signal,
      costs: { feeBps: 4, spreadBps: 'spread', slippage: { k: 0.5, sigma: 'sigma' }, volume: 'volume' },
    },
    { fromCache: false },
  )

/** Returns the study of a portfolio test with fees only, the one cost that other engines also model. */
export const feeTest = (signal: string) =>
  parsePortfolioStudy(
    { version: 1, kind: 'portfolio', interval: '1h', signal, funding: 'none', costs: { feeBps: 4 } },
    { fromCache: false },
  )
