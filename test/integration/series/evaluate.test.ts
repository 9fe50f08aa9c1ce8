import type { DistributionKind } from '#shared/workspace/chartStyle.ts'
import { DuckDBInstance } from '@duckdb/node-api'
import { truncateSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { cellOf, columnOf, type Frame } from '#shared/contract/frame.ts'
import type { FormulaRequest } from '#core/series/evaluate.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import { text } from 'node:stream/consumers'
import { exportSeries } from '#core/export/exportSeries.ts'
import type { SaveFile } from '#core/ports.ts'
import { eventFunctions } from '#shared/formula/ownData.ts'
import { formulaFunctions } from '#shared/formula/functionTable.ts'
import { resampleMethods } from '#shared/formula/formulaNames.ts'
import { seededRandom } from '../../fuzz/target.ts'
import { duckDbCache } from '../../fakes/duckDbCache.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'

const instance = await DuckDBInstance.create(':memory:')
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

const minutes = flowSeries({ interval: '1m', dataset: 'ohlcv' })
const day = (text: string) => Date.parse(`${text}T00:00:00Z`)
const rows = (from: string, count: number, stepMs = 60_000) =>
  `SELECT ${day(from)} + i * ${stepMs} AS time, 100 + i::DOUBLE AS close, 1.0 AS volume FROM range(${count}) t(i)`
const { signal } = new AbortController()

function setUp() {
  const world = duckDbCache(connection, minutes)
  const input = (column: string, series: OwnedSeries = minutes) => ({ series, timestamp: 'exchange', column }) as const
  const ask = (question: Partial<FormulaRequest> & { formula: string; points?: number }) =>
    world.desk.evaluate(
      { inputs: { a: input('close') }, startMs: null, endMs: null, originMs: null, points: 500, ...question },
      signal,
    )
  return { ...world, input, ask }
}

const cells = (frame: Frame, name = 'value') =>
  Array.from({ length: frame.rows }, (_, row) => cellOf(columnOf(frame, name)!, row))

describe('any formula without a start of its own', () => {
  it('is the same in every view, however sparse the values are', async () => {
    const { put, ask, input } = setUp()
    const hourly = { ...minutes, interval: '1h' }
    const [firstMs, hours] = [day('2026-08-01'), 24 * 40]
    for (let at = 0; at < 40; at++) {
      const values = `SELECT ${firstMs} + i * 3600000 AS time,
        CASE WHEN hash(i) % 17 = 0 THEN (hash(i + 7) % 1000)::DOUBLE END AS close
        FROM range(${at * 24}, ${at * 24 + 24}) t(i)`
      await put(new Date(firstMs + at * 86_400_000).toISOString().slice(0, 10), values, undefined, hourly)
    }
    const inputs = { a: input('close', hourly) }
    const formulas = [
      'ema(a, 3)',
      'ewmstd(a, 3)',
      'ffill(a)',
      "ffill(a, '5m')",
      "mad(ffill(a), '20m', 1)",
      'ema(ema(a, 2), 2)',
      'sma(ema(a, 2), 30, 1)',
      'a - ema(sma(a, 5, 1), 4)',
      'sma(a, 50, 2)',
    ]
    for (const formula of formulas) {
      const whole = await ask({ formula, inputs, points: 5000 })
      const all = cells(whole.points.frame)
      for (let view = 0; view < 12; view++) {
        const from = (view * 397 + 61) % (hours - 30)
        const startMs = firstMs + from * 3_600_000
        const near = await ask({ formula, inputs, startMs, endMs: startMs + 25 * 3_600_000, points: 5000 })
        const seen = cells(near.points.frame)
        const times = cells(near.points.frame, 'time')
        for (const [row, value] of seen.entries()) {
          const expected = all[(Number(times[row]) - firstMs) / 3_600_000]
          if (expected === null || value === null) expect(value, `${formula} at ${from}+${row}`).toBe(expected)
          else
            expect(Math.abs(Number(value) - Number(expected)), formula).toBeLessThan(
              1e-9 * Math.max(1, Math.abs(Number(expected))),
            )
        }
      }
    }
  })
})

/** Formulas with every function whose values do not depend on the start of the view, including nested ones. */
const everyFunction = [
  ...formulaFunctions
    .filter(({ looksBack, name }) => looksBack !== 'start' && name !== 'resample' && name !== 'inquote')
    .filter(({ name }) => !eventFunctions.includes(name))
    .map(({ example }) => example.replace(/\b(240|24|20)\b/, '7')),
  ...['sum', 'sma', 'std', 'zscore', 'rank'].map((name) => `${name}(a, 40, 3)`),
  'quantile(a, 40, 0.3, 3)',
  'rollcorr(a, b, 40, 4)',
  'rollbeta(a, b, 40, 4)',
  'rollcorr(a, h, 30, 4)',
  ...resampleMethods.map((method) => `resample(a, '4h', '${method}')`),
  "a - resample(sma(a, 5, 1), '4h', 'last')",
  "ema(resample(a, '4h', 'mean'), 3) + lag(h, 2)",
  'zscore(ema(a, 3), 20, 2)',
  // `inquote` takes amounts and their price; in its example `a` and `b` have the opposite meaning.
  'inquote(b, a)',
  'ema(inquote(b, a), 3)',
]

describe('every function without a start of its own', () => {
  it('gives the same values in every view of sparse series as over the whole history', async () => {
    const { put, ask, input } = setUp()
    const [hourly, coarse] = [
      { ...minutes, interval: '1h' },
      { ...minutes, interval: '4h' },
    ]
    const [firstMs, days] = [day('2026-07-01'), 14]
    const values = (stepMs: number, share: number) =>
      `SELECT ${firstMs} + i * ${stepMs} AS time,
        CASE WHEN hash(i) % 11 < ${share} THEN (hash(i + 7) % 2001)::DOUBLE / 8 - 100 END AS close,
        CASE WHEN hash(i + 3) % 11 < ${share} THEN (hash(i + 5) % 2001)::DOUBLE END AS volume
        FROM range(${(days * 86_400_000) / stepMs}) t(i) WHERE hash(i + 13) % 9 > 0`
    await put('2026-07', values(3_600_000, 4), undefined, hourly)
    await put('2026-07', values(4 * 3_600_000, 8), undefined, coarse)
    const inputs = { a: input('close', hourly), b: input('volume', hourly), h: input('close', coarse) }
    const draw = seededRandom(18)
    for (const formula of everyFunction) {
      const whole = await ask({ formula, inputs, points: 5000 })
      expect([formula, whole.problem]).toEqual([formula, null])
      const expected = new Map(
        cells(whole.points.frame, 'time').map((time, row) => [time, cells(whole.points.frame)[row]]),
      )
      for (let view = 0; view < 3; view++) {
        const startMs = firstMs + Math.floor(draw() * (days - 2) * 24) * 3_600_000 + (view % 2) * 60_000
        const endMs = startMs + (1 + Math.floor(draw() * 40)) * 3_600_000
        const near = await ask({ formula, inputs, startMs, endMs, points: 5000 })
        const seen = cells(near.points.frame)
        for (const [row, time] of cells(near.points.frame, 'time').entries()) {
          const [value, wanted] = [seen[row], expected.get(time) ?? null]
          const where = `${formula} from ${new Date(startMs).toISOString()} at ${String(time)}`
          if (value === null || wanted === null) expect([where, value]).toEqual([where, wanted])
          else if (Math.abs(Number(value) - Number(wanted)) > 1e-9 * Math.max(1, Math.abs(Number(wanted))))
            expect([where, value]).toEqual([where, wanted])
        }
      }
    }
  })

  it('excludes functions that count from the start of the view, whose answers name that start on every face', async () => {
    const { put, ask, input, desk } = setUp()
    await put('2026-08-01', rows('2026-08-01', 1440))
    const startMs = day('2026-08-01') + 600_000
    const note = 'cumsum(a) from 2026-08-01 00:10 UTC'
    const question = { formula: 'cumsum(a)', startMs, endMs: startMs + 120_000 }
    expect((await ask(question)).notes).toEqual([note])
    expect((await ask({ ...question, originMs: day('2026-08-01') })).notes).toEqual([
      'cumsum(a) from 2026-08-01 00:00 UTC',
    ])
    const inputs = { a: input('close') }
    const statistics = { ...question, inputs, originMs: null, other: null, atLongerInterval: false }
    expect((await desk.statistics(statistics, signal)).notes).toEqual([note])
    const files: Record<string, string> = {}
    const context = {
      signal,
      progress: () => {},
      version: '0',
      save: async (file: Parameters<SaveFile>[0], open: Parameters<SaveFile>[1]) => {
        files.csv = await text(open())
        files.provenance = await text(file.companion!.open())
        return { name: file.name, path: null }
      },
    }
    const { startMs: from, endMs } = question
    const saved = await exportSeries(
      desk.deps,
      {
        format: 'csv',
        zone: 'UTC',
        text: 'guarded',
        series: [],
        formulas: [{ name: 'total', formula: 'cumsum(a)', inputs }],
        startMs: from,
        endMs,
        originMs: null,
      },
      context,
    )
    expect(saved?.notes).toEqual([`total: ${note}`])
    expect(files.csv.split('\n')[0]).toBe(`time,total (${note})`)
    expect(JSON.parse(files.provenance)).toMatchObject({ notes: [`total: ${note}`] })
  })
})

describe('two series of different intervals', () => {
  it('are correlated with the number of pairs that count, and at the longer interval where asked for', async () => {
    const { put, desk, input } = setUp()
    const hourly = { ...minutes, interval: '1h' }
    const close = (stepMs: number, count: number) =>
      `SELECT ${day('2026-08-01')} + i * ${stepMs} AS time, sin(i * ${stepMs} / 7e6) + (hash(i) % 7)::DOUBLE AS close, 1.0 AS volume
        FROM range(${count}) t(i)`
    await put('2026-08-01', close(60_000, 1440))
    await put('2026-08-01', close(3_600_000, 24), undefined, hourly)
    const question = {
      inputs: { a: input('close'), b: input('close', hourly) },
      startMs: null,
      endMs: null,
      originMs: null,
      formula: 'a',
      other: 'b',
    }
    const repeated = await desk.statistics({ ...question, atLongerInterval: false }, signal)
    expect(repeated.pairing).toEqual({
      pairs: 1381,
      effectivePairs: 24,
      intervalMs: 60_000,
      longerMs: 3_600_000,
      shorterMs: 60_000,
      resampled: null,
    })
    const once = await desk.statistics({ ...question, atLongerInterval: true }, signal)
    expect(once.pairing).toMatchObject({ pairs: 24, effectivePairs: 24, intervalMs: 3_600_000, resampled: 'Last row' })
    const byHand = await desk.statistics(
      { ...question, formula: "resample(a, '1h', 'last')", atLongerInterval: false },
      signal,
    )
    expect(once.correlation).toBe(byHand.correlation)
    expect(once.correlation).not.toBe(repeated.correlation)
    const computed = await desk.statistics({ ...question, formula: 'a * 2', atLongerInterval: true }, signal)
    expect(computed.correlation).toBeCloseTo(once.correlation!, 12)
  })
})

describe('a formula over cached series', () => {
  it('sees rows before the range where it looks back, and none where it counts from the start', async () => {
    const { put, ask } = setUp()
    await put('2026-08-01', rows('2026-08-01', 1440))
    const range = { startMs: day('2026-08-01') + 600_000, endMs: day('2026-08-01') + 720_000 }
    expect(cells((await ask({ ...range, formula: 'sma(lag(a, 2), 3)' })).points.frame)).toEqual([107, 108])
    expect(cells((await ask({ ...range, formula: 'cumsum(a)' })).points.frame)).toEqual([110, 221])
    const fromEarlier = await ask({ ...range, formula: 'cumsum(a)', originMs: range.startMs - 60_000 })
    expect(cells(fromEarlier.points.frame)).toEqual([219, 330])
  })

  it('resamples by the column’s own rule, says why where it has none, and where a formula is wrong', async () => {
    const { put, ask, input } = setUp()
    await put('2026-08-01', rows('2026-08-01', 1440))
    const volume = await ask({ formula: "resample(a, '1h')", inputs: { a: input('volume') } })
    expect([volume.points.stepMs, cells(volume.points.frame)]).toEqual([
      3_600_000,
      Array.from({ length: 24 }, () => 60),
    ])
    const flow = { ...minutes, dataset: 'flow' }
    await put('2026-08-01', rows('2026-08-01', 60), undefined, flow)
    const refused = await ask({ formula: "resample(a, '1h')", inputs: { a: input('flow_toxicity_score', flow) } })
    expect(refused.problem?.message).toContain('The column cannot be resampled')
    expect((await ask({ formula: 'a + ' })).problem).toMatchObject({ start: 4 })
    expect((await ask({ formula: `a${'+a'.repeat(4999)}` })).problem?.message).toContain('nested operations')
  })

  it('is reduced like any other series, and names damaged files by input', async () => {
    const { put, ask, input } = setUp()
    await put('2026-07', rows('2026-07-01', 44_640))
    truncateSync(await put('2026-08-01', rows('2026-08-01', 1440)), 300)
    const answer = await ask({ formula: 'a - b', inputs: { a: input('close'), b: input('volume') } })
    // The minutes of the damaged day count as rows without a value.
    expect([answer.points.kind, answer.points.binMs, answer.rows]).toEqual(['bins', 7_200_000, 46_080])
    expect(cells(answer.points.frame, 'value.max').slice(0, 2)).toEqual([218, 338])
    expect(answer.inputs.a.unread).toHaveLength(1)
    expect(answer.inputs.b.files).toHaveLength(2)
    const found = answer.inputs.a.coverage.map(({ state }) => state)
    expect(found).toEqual(['cached'])
  })

  it('has statistics of all its rows, and of two together', async () => {
    const { put, desk, input } = setUp()
    await put('2026-08-01', rows('2026-08-01', 1440))
    const question = { inputs: { a: input('close') }, startMs: null, endMs: null, originMs: null }
    const alone = await desk.statistics(
      { ...question, formula: 'a', other: '3 - 2 * a', atLongerInterval: false },
      signal,
    )
    expect(alone).toMatchObject({ rows: 1440, missing: 0, min: 100, max: 1539, mean: 819.5, problem: null })
    expect(alone.quantiles[3]).toBe(819.5)
    expect([alone.correlation, alone.beta, alone.autocorrelation].map((value) => value?.toFixed(9))).toEqual([
      '-1.000000000',
      '-0.500000000',
      '1.000000000',
    ])
    expect(
      (await desk.statistics({ ...question, formula: 'a +', other: null, atLongerInterval: false }, signal)).problem
        ?.message,
    ).toBeTruthy()
  })
})

describe('a state', () => {
  it('has its spells counted, each ended by a row that is off or missing', async () => {
    const { put, desk, input } = setUp()
    await put('2026-08-01', rows('2026-08-01', 10))
    await put('2026-08-02', rows('2026-08-02', 10))
    const start = day('2026-08-01')
    const question = { inputs: { a: input('close') }, startMs: start, endMs: start + 86_400_000 + 600_000 }
    const spellsOf = async (formula: string) =>
      desk.statistics({ ...question, formula, originMs: null, other: null, atLongerInterval: false }, signal)
    // Closes are 100 to 109 on each day; the minutes between the days have no value.
    expect(await spellsOf('(a > 102 and a < 105) or a > 107')).toMatchObject({ spells: 4, mean: 0.4 })
    expect(await spellsOf('a > 0')).toMatchObject({ spells: 2, mean: 1 })
    expect(await spellsOf('a < 0')).toMatchObject({ spells: 0, mean: 0 })
    expect(await spellsOf('a')).toMatchObject({ spells: null })
  })
})

describe('a distribution', () => {
  it('groups values by hour, weekday, month and fifths, and counts them in bars with round ends', async () => {
    const { put, desk, input } = setUp()
    // Closes grow by one a minute, from 100 on each of two days; 2026-08-31 is a Monday.
    await put('2026-08-31', rows('2026-08-31', 1440))
    await put('2026-09-01', rows('2026-09-01', 1440))
    const range = { startMs: day('2026-08-31'), endMs: day('2026-09-02'), originMs: null }
    const formulas = ['a', '-a'].map((formula, at) => ({ name: 'ab'[at], formula }))
    const question = { ...range, formulas, inputs: { a: input('close') } }
    const ask = async (by: DistributionKind) => desk.distribution({ ...question, by }, signal)
    const hours = (await ask('hours')).boxes[0]
    expect([...hours.groups]).toEqual(Array.from({ length: 24 }, (_, hour) => hour))
    expect([hours.counts[3], hours.median[3], hours.low[3]]).toEqual([120, 309.5, 280 + 2.95])
    expect([...(await ask('weekdays')).boxes[0].groups]).toEqual([0, 1])
    expect([...(await ask('months')).boxes[0].groups]).toEqual([2026 * 12 + 7, 2026 * 12 + 8])
    const [fifths, ...none] = (await ask('buckets')).boxes
    expect([none, [...fifths.groups]]).toEqual([[], [0, 1, 2, 3, 4]])
    // The second series falls as the first, which makes the fifths, grows.
    expect(fifths.median[0]).toBeGreaterThan(fifths.median[4])
    expect((await ask('symbols')).boxes.map(({ median }) => [...median])).toEqual([[819.5], [-819.5]])
    const { histograms, series } = await ask('histogram')
    // The bars begin at round numbers.
    expect([...histograms[0].edges].filter((edge) => edge % 100 !== 0)).toEqual([])
    const counted = histograms[0].counts.reduce((sum, count) => sum + count, 0)
    expect(counted + histograms[0].below + histograms[0].above).toBe(2880)
    expect([series[0].values, series[0].quantiles[3]]).toEqual([2880, 819.5])
    // Series of one unit share their bars, so that their shapes compare.
    expect(histograms[1].edges).toEqual(histograms[0].edges)
    expect(
      await desk.distribution({ ...question, formulas: [{ name: 'x', formula: 'a +' }], by: 'hours' }, signal),
    ).toMatchObject({ problem: { name: 'x' } })
  })

  it('draws equal values as one bar, and leaves out values that are missing', async () => {
    const { put, desk, input } = setUp()
    await put('2026-08-31', rows('2026-08-31', 10))
    const range = { startMs: day('2026-08-31'), endMs: day('2026-09-01'), originMs: null }
    const question = { ...range, inputs: { a: input('close') }, by: 'histogram' as const }
    const flat = await desk.distribution({ ...question, formulas: [{ name: 'a', formula: 'a * 0 + 5' }] }, signal)
    expect([[...flat.histograms[0].counts], flat.series[0].values]).toEqual([[10], 10])
    const none = await desk.distribution({ ...question, formulas: [{ name: 'a', formula: 'a / 0' }] }, signal)
    expect([none.histograms[0].counts.length, none.series[0].values]).toEqual([0, 0])
  })
})

describe('a scan', () => {
  it('has the last known value, or the mean, of every symbol of the venue, and a line of each', async () => {
    const { put, desk } = setUp()
    for (const symbol of ['perpetual-A-USDT:USDT', 'perpetual-B-USDT:USDT'])
      await put('2026-08-01', rows('2026-08-01', 1440), undefined, { ...minutes, symbol })
    truncateSync(
      await put('2026-08-01', rows('2026-08-01', 9), undefined, { ...minutes, symbol: 'perpetual-C-USDT:USDT' }),
      200,
    )
    await put('2026-08-01', rows('2026-08-01', 9), undefined, { ...minutes, exchange: 'venueb' })
    const computed = { ...minutes, connectionId: computedOwner(minutes.connectionId), symbol: 'perpetual-D-USDT:USDT' }
    await put('2026-08-01', rows('2026-08-01', 9), undefined, computed)
    const question = {
      series: minutes,
      column: 'close',
      startMs: day('2026-08-01'),
      endMs: day('2026-08-01') + 630_000,
      sparkPoints: 5,
    }
    const seen: number[] = []
    const moment = await desk.scan({ ...question, way: 'moment' }, signal, ({ done }) => seen.push(done))
    expect(cells(moment.frame, 'symbol')).toEqual(['A', 'B', 'C'].map((base) => `perpetual-${base}-USDT:USDT`))
    // The row of minute 10 is not yet known half a minute after its start.
    expect([cells(moment.frame, 'value'), cells(moment.frame, 'change')]).toEqual([
      [109, 109, null],
      [9, 9, null],
    ])
    expect([...moment.sparks.values.subarray(0, 5)]).toEqual([102, 104, 106, 108, 109])
    expect(moment.unread.map(({ symbol }) => symbol)).toEqual(['perpetual-C-USDT:USDT'])
    expect(seen.at(-1)).toBe(3)
    expect(cells((await desk.scan({ ...question, way: 'mean' }, signal, () => {})).frame, 'value')).toEqual([
      104.5,
      104.5,
      null,
    ])
    // The computed series has another owner, so it is scanned separately.
    const own = await desk.scan({ ...question, series: computed, way: 'moment' }, signal, () => {})
    expect([cells(own.frame, 'symbol'), cells(own.frame, 'value')]).toEqual([['perpetual-D-USDT:USDT'], [108]])
  })

  it('has columns by formula over every symbol, each with its last value among those of the range', async () => {
    const { put, desk } = setUp()
    const symbols = ['A', 'B'].map((base) => `perpetual-${base}-USDT:USDT`)
    for (const symbol of symbols) await put('2026-08-01', rows('2026-08-01', 1440), undefined, { ...minutes, symbol })
    const flow = `SELECT ${day('2026-08-01')} + i * 60000 AS time, (i % 3)::DOUBLE AS volume_delta FROM range(1440) t(i)`
    await put('2026-08-01', flow, undefined, { ...minutes, dataset: 'flow', symbol: symbols[0] })
    const question = {
      series: minutes,
      column: 'close',
      startMs: day('2026-08-01'),
      endMs: day('2026-08-01') + 630_000,
      sparkPoints: 0,
      formulas: [
        { name: 'fall', formula: '200 - close' },
        { name: 'flow', formula: 'flow.volume_delta' },
        { name: 'five', formula: "resample(close, '5m', 'last')" },
        { name: 'broken', formula: 'close +' },
      ],
    }
    const seen: number[] = []
    const { frame, formulas } = await desk.scan({ ...question, way: 'moment' }, signal, ({ done }) => seen.push(done))
    const deviation = Math.sqrt(110 / 12)
    expect(cells(frame, 'percentile')).toEqual([1, 1])
    expect(cells(frame, 'z')[0]).toBeCloseTo(4.5 / deviation, 12)
    expect([cells(frame, 'formula0.value'), cells(frame, 'formula0.percentile')]).toEqual([
      [91, 91],
      [0.1, 0.1],
    ])
    expect(cells(frame, 'formula0.z')[1]).toBeCloseTo(-4.5 / deviation, 12)
    expect(cells(frame, 'formula1.value')).toEqual([0, null])
    // The second interval of five minutes ends at minute 10; the third is still running, so its row is not yet known.
    expect(cells(frame, 'formula2.value')).toEqual([109, 109])
    expect(cells(frame, 'formula3.value')).toEqual([null, null])
    expect(formulas.map(({ name, problem }) => [name, problem !== null])).toEqual([
      ['fall', false],
      ['flow', false],
      ['five', false],
      ['broken', true],
    ])
    expect(seen.at(-1)).toBe(4)
    const mean = await desk.scan({ ...question, way: 'mean' }, signal, () => {})
    expect(cells(mean.frame, 'formula0.value')).toEqual([95.5, 95.5])
    const stopped = new AbortController()
    stopped.abort()
    await expect(desk.scan({ ...question, way: 'moment' }, stopped.signal, () => {})).rejects.toThrow()
  })
})
