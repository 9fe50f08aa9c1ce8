import { buildPanel, type LongRows, type Panel } from '#shared/lab/panel.ts'
import type { PortfolioStudy } from '#shared/lab/kinds/portfolio/fields.ts'
import { parsePortfolioStudy } from '#shared/lab/parseStudy.ts'
import { describeTest, prepareRows, testPortfolio } from '#shared/lab/portfolio/runPortfolio.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { HOUR_MS, randomOf, START_MS } from './panelWorld.ts'

export const testStudy = (fields: object = {}): PortfolioStudy =>
  parsePortfolioStudy(
    { version: 1, kind: 'portfolio', interval: '1h', signal: 'signal', ...fields },
    { fromCache: false },
  )

/** Creates the rows of a synthetic market with every column that a test may name; some values are missing. */
export function marketRows({ seed = 1, symbols = 8, times = 400, gaps = 0.03 } = {}): LongRows {
  const random = randomOf(seed)
  const names = ['close', 'signal', 'funding', 'spread', 'sigma', 'volume']
  const rows: Record<string, number>[] = []
  for (let symbol = 0; symbol < symbols; symbol++) {
    let close = 20 + 100 * random()
    for (let time = 0; time < times; time++) {
      close *= Math.exp(0.02 * (random() - 0.5))
      if (random() < gaps) continue
      const orMissing = (value: number) => (random() < gaps ? NaN : value)
      rows.push({
        time,
        symbol,
        close: orMissing(close),
        signal: orMissing(random() - 0.5),
        funding: orMissing(time % 8 === 7 ? 0.0004 * (random() - 0.5) : 0),
        spread: orMissing(5 * random()),
        sigma: orMissing(0.01 * random()),
        volume: orMissing(1e6 * (0.2 + random())),
        member: random() < gaps ? 0 : 1,
      })
    }
  }
  const column = (of: (row: Record<string, number>) => number) => Float64Array.from(rows, of)
  return {
    times: column(({ time }) => START_MS + time * HOUR_MS),
    symbols: Int32Array.from(rows, ({ symbol }) => symbol),
    names: Array.from({ length: symbols }, (_, at) => `S${at}`),
    columns: new Map(names.map((name) => [name, column((row) => row[name])])),
    member: Uint8Array.from(rows, ({ member }) => member),
    otherColumns: [],
    columnNames: names,
  }
}

/** Creates rows from a table with one line per time and one list of cells per column. */
export function tableRows(
  intervalMs: number,
  symbols: readonly string[],
  columns: Record<string, number[][]>,
): LongRows {
  const times = Object.values(columns)[0].length
  const cells = Array.from({ length: times * symbols.length }, (_, at) => [
    Math.floor(at / symbols.length),
    at % symbols.length,
  ])
  return {
    times: Float64Array.from(cells, ([time]) => START_MS + time * intervalMs),
    symbols: Int32Array.from(cells, ([, symbol]) => symbol),
    names: symbols,
    columns: new Map(
      Object.entries(columns).map(([name, table]) => [
        name,
        Float64Array.from(cells, ([time, symbol]) => table[time][symbol]),
      ]),
    ),
    member: null,
    otherColumns: [],
    columnNames: Object.keys(columns),
  }
}

/** Runs a test on rows; the panel comes with the result. */
export function testOnRows(rows: LongRows, fields: object = {}) {
  const study = testStudy(fields)
  const panel: Panel = buildPanel(rows, studyRange(study))
  const input = { study, panel }
  const tested = testPortfolio(input, prepareRows(input), true)
  return { study, panel, ...tested, result: describeTest(input, tested) }
}
