import { describe, expect, it } from 'vitest'
import type { LongRows } from '#shared/lab/panel.ts'
import type { ResultOf } from '#shared/lab/runStudy.ts'
import { studySheet } from '#shared/lab/studySheet.ts'
import { sectionOf } from '#shared/sheet/sheet.ts'
import { HOUR_MS, randomOf, rowsOf, runOnRows, START_MS } from '../../../fakes/panelWorld.ts'

type Series = ResultOf<'series'>
type Spells = ResultOf<'spells'>

const series = (rows: LongRows, fields: object) => runOnRows(rows, { kind: 'series', signal: 'a', ...fields }) as Series
const spells = (rows: LongRows, fields: object) =>
  runOnRows(rows, { kind: 'spells', when: 'a > 0.3', ...fields }) as Spells

/** Keeps the rows before a time of the grid. */
function before(rows: LongRows, time: number): LongRows {
  const places = [...rows.times.keys()].filter((at) => rows.times[at] < START_MS + time * HOUR_MS)
  return pick(rows, places)
}

function pick(rows: LongRows, places: readonly number[]): LongRows {
  const only = (values: Float64Array) => Float64Array.from(places, (at) => values[at])
  return {
    ...rows,
    times: only(rows.times),
    symbols: Int32Array.from(places, (at) => rows.symbols[at]),
    columns: new Map([...rows.columns].map(([name, values]) => [name, only(values)])),
    member: rows.member && Uint8Array.from(places, (at) => rows.member?.[at] ?? 0),
  }
}

/** The cells of one symbol, read from its rows without the program's panel. */
function cellsOf(rows: LongRows, symbol: number, timeCount: number) {
  const cell = () => Array.from({ length: timeCount }, () => NaN)
  const [signal, price] = [cell(), cell()]
  const member = Array.from({ length: timeCount }, () => rows.member === null)
  rows.times.forEach((timeMs, row) => {
    if (rows.symbols[row] !== symbol) return
    const time = (timeMs - START_MS) / HOUR_MS
    signal[time] = rows.columns.get('a')?.[row] ?? NaN
    const close = rows.columns.get('close')?.[row] ?? NaN
    price[time] = close > 0 ? close : NaN
    if (rows.member) member[time] = rows.member[row] === 1
  })
  return { signal, price, member }
}

const isPresent = (value: number | undefined): value is number => value !== undefined && !Number.isNaN(value)
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const deviation = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1))

function spearman(x: readonly number[], y: readonly number[]): number {
  const ranks = (values: readonly number[]) =>
    values.map(
      (value) =>
        values.filter((other) => other < value).length + (values.filter((other) => other === value).length + 1) / 2,
    )
  const [a, b] = [ranks(x), ranks(y)]
  const [meanA, meanB] = [mean(a), mean(b)]
  const sum = (of: (at: number) => number) => a.reduce((total, _, at) => total + of(at), 0)
  return (
    sum((at) => (a[at] - meanA) * (b[at] - meanB)) /
    Math.sqrt(sum((at) => (a[at] - meanA) ** 2) * sum((at) => (b[at] - meanB) ** 2))
  )
}

const timeCount = 160
const world = rowsOf({ seed: 21, symbols: 3, times: timeCount, planted: 0.2, autocorrelation: 0.5, gaps: 0.06 })

describe.each([
  ['trailing', { bucketBy: 'trailing', window: 40, warmUp: 12 }, 40],
  ['expanding', { bucketBy: 'expanding', warmUp: 12 }, Infinity],
])('a series with %s buckets', (_name, fields, window) => {
  const delayBars = 2
  const horizon = 5
  const result = series(world, { ...fields, horizons: [horizon], buckets: 4, delayBars, thresholds: [0.4] })

  it('finds what plain loops find', () => {
    result.symbols.forEach(({ symbol, horizons: [found] }, place) => {
      const { signal, price, member } = cellsOf(world, place, timeCount)
      const used: { time: number; r: number; bucket: number }[] = []
      for (let time = 0; time < timeCount; time++) {
        const r = price[time + delayBars + horizon] / price[time + delayBars] - 1
        if (!member[time] || !isPresent(signal[time]) || !isPresent(r)) continue
        const seen = signal.filter((value, at) => at <= time && at > time - window && member[at] && isPresent(value))
        const below = seen.filter((value) => value < signal[time]).length
        const equal = seen.filter((value) => value === signal[time]).length
        const rank = below + (equal + 1) / 2
        const bucket = seen.length < 12 ? 0 : 1 + Math.floor(((2 * rank - 1) * 4) / (2 * seen.length) + 1e-9)
        used.push({ time, r, bucket })
      }
      const samples = used.filter(({ time }) => (time - used[0].time) % horizon === 0)
      expect(found.attrition.used, symbol).toBe(used.length)
      expect(found.unplaced).toBe(used.filter(({ bucket }) => bucket === 0).length)
      expect(found.ic.nonOverlapping.n).toBe(samples.length)
      const ic = (cells: typeof used) =>
        spearman(
          cells.map(({ time }) => signal[time]),
          cells.map(({ r }) => r),
        )
      expect(found.ic.nonOverlapping.spearman).toBeCloseTo(ic(samples), 10)
      expect(found.ic.all.spearman).toBeCloseTo(ic(used), 10)
      for (const { bucket, cells, n, mean: meanReturn, volatility, drawdown, runUp } of found.buckets) {
        const within = used.filter((one) => one.bucket === bucket)
        const drawn = samples.filter((one) => one.bucket === bucket)
        expect([bucket, cells, n]).toEqual([bucket, within.length, drawn.length])
        if (drawn.length > 0) expect(meanReturn).toBeCloseTo(mean(drawn.map(({ r }) => r)), 12)
        const paths = within.map(({ time }) => {
          const entry = time + delayBars
          const bars = Array.from({ length: horizon }, (_, at) => entry + at + 1)
          const moves = bars.map((at) => price[at] / price[entry] - 1).filter(isPresent)
          const changes = bars.map((at) => price[at] / price[at - 1] - 1).filter(isPresent)
          return { low: Math.min(0, ...moves), high: Math.max(0, ...moves), changes }
        })
        const volatilities = paths.flatMap(({ changes }) => (changes.length >= 3 ? [deviation(changes)] : []))
        expect(volatility).toBeCloseTo(mean(volatilities), 12)
        expect(drawdown.mean).toBeCloseTo(mean(paths.map(({ low }) => low)), 12)
        expect(drawdown.worst).toBeCloseTo(Math.min(...paths.map(({ low }) => low)), 12)
        expect(runUp.best).toBeCloseTo(Math.max(...paths.map(({ high }) => high)), 12)
      }
      expect(found.thresholds?.[0].cells).toBe(used.filter(({ time }) => signal[time] >= 0.4).length)
    })
  })

  it('changes nothing that ends before rows that are deleted', () => {
    for (const kept of [60, 97, 130]) {
      const cut = series(before(world, kept), { ...fields, horizons: [1, horizon], buckets: 4, delayBars })
      const whole = series(world, { ...fields, horizons: [1, horizon], buckets: 4, delayBars })
      cut.symbols.forEach(({ horizons }, symbol) =>
        horizons.forEach(({ path }, at) => {
          const full = whole.symbols[symbol].horizons[at].path
          const length = path.times.length
          expect(length).toBeGreaterThan(2)
          expect(full.times.slice(0, length)).toEqual(path.times)
          expect(full.buckets.map((values) => values.slice(0, length))).toEqual(path.buckets)
        }),
      )
    }
  })
})

describe('spells', () => {
  it('change nothing that is known before rows that are deleted', () => {
    const fields = { fill: 2, minBars: 3, horizons: [1, 4] }
    const whole = spells(world, fields)
    for (const kept of [60, 97, 130]) {
      const lastMs = START_MS + (kept - 1) * HOUR_MS
      spells(before(world, kept), fields).symbols.forEach((cut, symbol) => {
        const known = cut.spells.filter(({ to }) => to + 3 * HOUR_MS <= lastMs)
        expect(known.length).toBeGreaterThan(0)
        expect(whole.symbols[symbol].spells.slice(0, known.length)).toEqual(known)
      })
    }
  })

  it('begin and end where they are known, and bridge only short stretches', () => {
    const when = [1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, NaN, 1, 0, 0, 0]
    const rows = handmade(when)
    const {
      spells: found,
      dropped,
      horizons,
      share,
    } = spells(rows, {
      ...{ when: 'a', fill: 2, minBars: 4, horizons: [1], delayBars: 0, price: 'close' },
    }).symbols[0]
    const hour = (timeMs: number) => (timeMs - START_MS) / HOUR_MS
    expect(found.map(({ from, to, bars }) => [hour(from), hour(to), bars])).toEqual([
      [0, 3, 4],
      [7, 12, 6],
    ])
    expect(dropped).toBe(0)
    expect(share).toBeCloseTo(9 / 15, 12)
    // The second is four bars long at 10, but only the on-bar at 12 shows it; prices rise by 1 a bar.
    expect(horizons[0].starts).toMatchObject({ cells: 2, mean: expect.closeTo((1 / 103 + 1 / 112) / 2, 12) as number })
    expect(horizons[0].ends).toMatchObject({ cells: 1, mean: expect.closeTo(1 / 106, 12) as number })
  })
})

it('draws when the state was on as steps', () => {
  const rows = handmade([1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1])
  const state = sectionOf(studySheet(spells(rows, { when: 'a', fill: 1, horizons: [1] })), 'chart', 'state')
  const [{ x, values }] = state.series
  const points = Array.from(x, (timeMs, at) => [(timeMs - START_MS) / HOUR_MS, values[at]])
  expect(points).toEqual([
    [0, 1],
    [4, 0],
    [7, 1],
    [9, 0],
    [11, 1],
    [12, 1],
  ])
})

/** Rows of one symbol whose price rises by 1 every hour. */
function handmade(a: readonly number[]): LongRows {
  const column = (of: (at: number) => number) => Float64Array.from(a, (_, at) => of(at))
  return {
    times: column((at) => START_MS + at * HOUR_MS),
    symbols: new Int32Array(a.length),
    names: ['A'],
    columns: new Map([
      ['a', Float64Array.from(a)],
      ['close', column((at) => 100 + at)],
    ]),
    member: null,
    otherColumns: [],
    columnNames: ['a', 'close'],
  }
}

describe('the guards of one symbol', () => {
  const codes = ({ warnings }: { warnings: readonly { code: string }[] }) => warnings.map(({ code }) => code)

  it('tell of a signal that knows the next return of any symbol', () => {
    expect(codes(series(world, { horizons: [1], warmUp: 20 }))).toEqual([])
    // A price that only swings about its mean tells its next return.
    const random = randomOf(9)
    const rows = handmade(Array.from({ length: 200 }, () => random()))
    const close = rows.columns.get('close') ?? new Float64Array()
    close.forEach((_, at) => (close[at] = at % 2 === 0 ? 100 : 101 + random()))
    const found = series(rows, { signal: '-close', horizons: [1], warmUp: 20 })
    expect(codes(found)).toContain('peek-ic')
    expect(found.warnings.find(({ code }) => code === 'peek-ic')?.message).toContain('A.')
  })

  it.each(['series', 'screen'])(
    'of a %s tell of the one symbol among others whose signal is its next return',
    (kind) => {
      const rows = rowsOf({ seed: 5, symbols: 3, times: timeCount })
      const peeking = 1
      const places = [...rows.times.keys()].filter((row) => rows.symbols[row] === peeking)
      const { price } = cellsOf(rows, peeking, timeCount)
      const columns = new Map(rows.columns)
      const signal = columns.get('a')!.slice()
      for (const row of places) {
        const time = (rows.times[row] - START_MS) / HOUR_MS
        signal[row] = price[time + 1] / price[time] - 1
      }
      columns.set('a', signal)
      const fields = kind === 'series' ? { signal: 'a', warmUp: 20 } : { columns: ['a'], templates: ['x'], shifts: 9 }
      const warningsOf = (from: LongRows) => runOnRows(from, { kind, horizons: [1], ...fields }).warnings
      expect(codes({ warnings: warningsOf(rows) })).toEqual([])
      const found = warningsOf({ ...rows, columns })
      expect(codes({ warnings: found })).toEqual(['peek-ic', 'peek-equal'])
      for (const { message } of found) expect(message).toContain(rows.names[peeking])
    },
  )

  it('do not judge fewer than 30 cells by their correlation, nor fewer than 3 by being equal', () => {
    const next = (bars: number) => handmade(Array.from({ length: bars }, (_, at) => 1 / (101 + at)))
    const codesOf = (bars: number) => codes(series(next(bars), { horizons: [1], buckets: 2, warmUp: 2 }))
    // The return of the last bar lies beyond the end, so that of n bars n - 1 count.
    expect(codesOf(31)).toEqual(['peek-ic', 'peek-equal'])
    expect(codesOf(30)).toEqual(['peek-equal'])
    // With a delay of a bar, of n bars n - 2 do.
    expect(codesOf(5)).toContain('peek-equal')
    expect(codesOf(4)).not.toContain('peek-equal')
  })

  it('tell of a signal that equals a return, and of buckets of the whole range, in order', () => {
    const rows = handmade(Array.from({ length: 60 }, (_, at) => 1 / (101 + at)))
    const result = series(rows, { horizons: [1, 2], bucketBy: 'inSample', buckets: 2, delayBars: 1, warmUp: 2 })
    expect(codes(result)).toEqual(['in-sample-buckets', 'peek-ic', 'peek-equal'])
  })
})
