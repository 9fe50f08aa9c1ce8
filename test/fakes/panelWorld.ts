import { buildPanel, type LongRows } from '#shared/lab/panel.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { type ResultOf, runStudy, type StudyResult } from '#shared/lab/runStudy.ts'
import { memoryPanel } from '#shared/lab/studyPanel.ts'
import { studyRange } from '#shared/lab/studyRange.ts'

export const HOUR_MS = 3_600_000
export const START_MS = Date.UTC(2026, 0, 1)

/** Creates a generator of repeatable numbers from 0 to 1. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const normalOf = (random: () => number) => () =>
  Math.sqrt(-2 * Math.log(random() + Number.MIN_VALUE)) * Math.cos(2 * Math.PI * random())

export interface SyntheticMarket {
  seed: number
  symbols: number
  times: number
  /** Correlation of the signal with the return that follows the entry. */
  planted?: number
  autocorrelation?: number
  /** Share of rows that are left out, of values that are missing, and of rows that are not members. */
  gaps?: number
}

/** Creates the rows of a synthetic market, time by time. */
export function rowsOf({
  seed,
  symbols,
  times,
  planted = 0,
  autocorrelation = 0,
  gaps = 0,
}: SyntheticMarket): LongRows {
  const random = randomOf(seed)
  const normal = normalOf(random)
  const rows: { time: number; symbol: number; close: number; a: number; b: number; member: number }[] = []
  for (let symbol = 0; symbol < symbols; symbol++) {
    let price = 50 + 100 * random()
    let signal = normal()
    const waiting = [0, 0]
    for (let time = 0; time < times; time++) {
      const known = waiting.shift() ?? 0
      price *= Math.exp(0.01 * (planted * known + Math.sqrt(1 - planted * planted) * normal()))
      signal = autocorrelation * signal + Math.sqrt(1 - autocorrelation * autocorrelation) * normal()
      waiting.push(signal)
      if (random() < gaps) continue
      const close = random() < gaps ? NaN : price
      rows.push({
        time,
        symbol,
        close,
        a: random() < gaps ? NaN : signal,
        b: normal(),
        member: random() < gaps ? 0 : 1,
      })
    }
  }
  rows.sort((x, y) => x.time - y.time || x.symbol - y.symbol)
  const column = (of: (row: (typeof rows)[number]) => number) => Float64Array.from(rows, of)
  return {
    times: column(({ time }) => START_MS + time * HOUR_MS),
    symbols: Int32Array.from(rows, ({ symbol }) => symbol),
    names: Array.from({ length: symbols }, (_, at) => `S${String(at).padStart(3, '0')}`),
    columns: new Map([
      ['close', column(({ close }) => close)],
      ['a', column(({ a }) => a)],
      ['b', column(({ b }) => b)],
    ]),
    member: gaps > 0 ? Uint8Array.from(rows, ({ member }) => member) : null,
    otherColumns: [],
    columnNames: ['close', 'a', 'b'],
  }
}

/** Runs a study on rows; by default a signal study of the column a. */
export function runOnRows(rows: LongRows, fields: object = {}): StudyResult {
  const kind = 'kind' in fields ? {} : { kind: 'signal', signal: 'a' }
  const study = parseStudy({ version: 1, interval: '1h', ...kind, ...fields }, { fromCache: false })
  return runStudy({ study, panel: memoryPanel(buildPanel(rows, studyRange(study))), against: null })
}

type SignalHorizons = ResultOf<'signal'>['horizons']
export const horizonsOf = (result: StudyResult): SignalHorizons => (result.kind === 'signal' ? result.horizons : [])
