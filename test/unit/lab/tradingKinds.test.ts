import { describe, expect, it } from 'vitest'
import type { ClockColumn, ClockValues } from '#shared/lab/clockRows.ts'
import { verdict as clockVerdict } from '#shared/lab/kinds/clocks/sheet.ts'
import { testedCosts } from '#shared/lab/kinds/costs/fields.ts'
import { verdict as costVerdict } from '#shared/lab/kinds/costs/sheet.ts'
import { verdict as scheduleVerdict } from '#shared/lab/kinds/schedule/sheet.ts'
import { buildPanel, type LongRows } from '#shared/lab/panel.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import type { ResultOf } from '#shared/lab/runStudy.ts'
import { runStudy } from '#shared/lab/runStudy.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { studySheet } from '#shared/lab/studySheet.ts'
import { memoryPanel } from '#shared/lab/studyPanel.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { HOUR_MS, START_MS } from '../../fakes/panelWorld.ts'

const MISSING = NaN

/** Rows of hours from midnight of 2026-01-01 on, by symbol and column. */
function hourly(symbols: Record<string, Record<string, readonly number[]>>, member?: readonly boolean[]): LongRows {
  const names = Object.keys(symbols)
  const [first] = Object.values(symbols)
  const columnNames = Object.keys(first)
  const hours = first[columnNames[0]].length
  const column = (name: string) => Float64Array.from(names.flatMap((symbol) => symbols[symbol][name]))
  return {
    times: Float64Array.from(names.flatMap(() => Array.from({ length: hours }, (_, at) => START_MS + at * HOUR_MS))),
    symbols: Int32Array.from(names.flatMap((_, at) => Array.from({ length: hours }, () => at))),
    names,
    columns: new Map(columnNames.map((name) => [name, column(name)])),
    member: member ? Uint8Array.from(names.flatMap(() => member.map(Number))) : null,
    otherColumns: [],
    columnNames,
  }
}

const studyOf = (fields: object) => parseStudy({ version: 1, interval: '1h', ...fields }, { fromCache: false })

function runOn<Kind extends 'schedule' | 'costs'>(
  rows: LongRows,
  fields: { kind: Kind } & Record<string, unknown>,
): ResultOf<Kind> {
  const study = studyOf(fields)
  const panel = memoryPanel(buildPanel(rows, studyRange(study)))
  return runStudy({ study, panel, against: null }) as unknown as ResultOf<Kind>
}

/** Values of days of 24 hours. */
const daily = (days: number, value: (hour: number, day: number) => number) =>
  Array.from({ length: 24 * days }, (_, at) => value(at % 24, Math.floor(at / 24)))

describe('a schedule', () => {
  const fields = { kind: 'schedule' as const, value: 'cost', calibrateDays: 7, minBars: 3, best: 2 }

  it('takes the first of equal hours, and never more than half of them', () => {
    const rows = hourly({ A: { cost: daily(14, (hour) => (hour < 20 ? 1 : 2)) } })
    const { groups } = runOn(rows, fields).symbols[0]
    const chosen = (which: string) => groups.flatMap((one) => (one.chosen === which ? [one.hour] : []))
    expect([chosen('best'), chosen('worst')]).toEqual([
      [0, 1],
      [22, 23],
    ])
    const most = runOn(rows, { ...fields, best: 23 }).symbols[0].groups
    expect(most.map(({ chosen: one }) => one)).toEqual([
      ...Array<string>(12).fill('best'),
      ...Array<string>(12).fill('worst'),
    ])
  })

  it('gives an hour with too few values no statistic and never chooses it, but keeps its cells in all hours', () => {
    // Hour 5 is the cheapest of all, and has 2 values in the first days.
    const rows = hourly({ A: { cost: daily(14, (hour, day) => (hour === 5 ? (day < 5 ? MISSING : 0) : 10 + hour)) } })
    const { groups, schedules, attrition } = runOn(rows, fields).symbols[0]
    expect(groups[5]).toEqual({
      hour: 5,
      calibrate: { n: 2, value: null },
      evaluate: { n: 7, value: 0 },
      chosen: null,
    })
    expect(groups.filter(({ chosen }) => chosen === 'best').map(({ hour }) => hour)).toEqual([0, 1])
    expect(schedules.uniform.n).toBe(7 * 24)
    expect(attrition).toEqual({ cells: 14 * 24, notMember: 0, noValue: 5, used: 14 * 24 - 5 })
  })

  it('leaves out cells of symbols that are no members, treats symbols alone and masks the second value by itself', () => {
    const cost = daily(14, (hour) => hour)
    const member = cost.map((_, at) => at % 24 !== 0)
    const rows = hourly(
      {
        B: { cost, depth: cost.map((_, at) => (at % 24 < 12 ? 1 / (1 + (at % 24)) : MISSING)) },
        A: { cost, depth: cost },
      },
      member,
    )
    const [a, b] = runOn(rows, { ...fields, second: 'depth' }).symbols
    expect([a.symbol, b.symbol]).toEqual(['A', 'B'])
    expect(a.attrition).toMatchObject({ notMember: 14, used: 14 * 23 })
    expect(a.groups.map(({ hour }) => hour)).not.toContain(0)
    expect([a.agreement, b.agreement]).toEqual([
      { n: 23, spearman: 1 },
      { n: 11, spearman: -1 },
    ])
  })

  it('counts UTC days from the first to the last row, whether they have rows or not', () => {
    const rows = hourly({ A: { cost: daily(9, (hour) => hour) } })
    const shifted = {
      ...rows,
      times: rows.times.map((time, at) => time + 23 * HOUR_MS + (at >= 100 ? 240 * HOUR_MS : 0)),
    }
    const { calibrateDays: _, ...byDefault } = fields
    expect(runOn(shifted, byDefault).symbols[0].days).toEqual({ calibrate: 10, evaluate: 10 })
    expect(() => runOn(shifted, { ...fields, calibrateDays: 21 })).toThrow('calibrateDays: must be at most 20')
    expect(runOn(shifted, { ...fields, calibrateDays: 20 }).symbols[0].schedules.uniform).toEqual({
      n: 0,
      mean: null,
      median: null,
    })
  })

  it.each([
    ['missing everywhere', { cost: daily(14, () => MISSING) }, {}, 'the value is missing in all 336 cells'],
    [
      'with too few values',
      { cost: daily(14, () => 1) },
      { minBars: 99 },
      'fewer than two have the 99 values they need',
    ],
    ['without later days', { cost: daily(7, (hour) => hour) }, {}, 'no later day has a value to judge them by'],
    ['whose hours stay cheap', { cost: daily(14, (hour, day) => hour + (day % 3)) }, {}, 'too few or too equal days'],
    [
      'whose hours stay cheap by varying amounts',
      { cost: daily(14, (hour, day) => hour * (1 + (day % 3))) },
      {},
      'they stayed better',
    ],
    [
      'whose hours become dear',
      { cost: daily(14, (hour, day) => (day < 7 ? hour : -hour * day)) },
      {},
      'they became worse',
    ],
    [
      'whose hours are as dear as others',
      { cost: daily(15, (hour, day) => (day < 7 ? hour : hour < 2 ? 5 + (day % 2 ? 1 : -1) : 5)) },
      {},
      'which chance explains',
    ],
  ])('says of a value %s what to make of it', (_what, columns, more, says) => {
    expect(scheduleVerdict(runOn(hourly({ A: columns }), { ...fields, ...more }))).toContain(says)
  })

  it('names the unit of a value that has one', () => {
    const study = { ...fields, value: 'l1_liquidity.spread_bps' }
    const rows = hourly({ A: { 'l1_liquidity.spread_bps': daily(14, (hour, day) => hour * (1 + (day % 3))) } })
    expect(scheduleVerdict(runOn(rows, study))).toMatch(/were [\d.]+ bps below the mean of the day, 95 % .* bps: they/)
  })

  it('counts the outcomes of several symbols', () => {
    const kept = { cost: daily(14, (hour, day) => hour * (1 + (day % 3))) }
    const lost = { cost: daily(14, (hour, day) => (day < 7 ? hour : -hour * day)) }
    const none = { cost: daily(14, () => MISSING) }
    expect(scheduleVerdict(runOn(hourly({ A: kept, B: lost, C: none }), fields))).toBe(
      'Of 2 symbols the chosen hours stayed better on later days for 1, became worse for 1 and differ by no more than chance for 0; 1 more cannot be judged.',
    )
    expect(scheduleVerdict(runOn(hourly({ A: none, B: none }), fields))).toContain('None of 2 symbols can be judged')
  })
})

describe('costs', () => {
  const fields = { kind: 'costs' as const, spreadBps: 'spread', impact: 'impact', notionals: [1000, 20_000] }
  const day = (values: readonly number[]) => Array.from({ length: 24 }, (_, hour) => values[hour % values.length])

  it('counts each cell under the first reason, and leaves out those without a cost', () => {
    const rows = hourly(
      { A: { spread: day([2, MISSING, -1, 4, 0, 2]), impact: day([1e-8, 1e-8, 1e-8, MISSING, -1e-8, 0]) } },
      Array.from({ length: 24 }, (_, hour) => hour !== 0),
    )
    const [{ attrition, curve, byHour }] = runOn(rows, fields).symbols
    expect(attrition).toEqual({ cells: 24, notMember: 1, noSpread: 8, noImpact: 8, used: 7 })
    expect(curve[1]).toMatchObject({ notional: 20_000, n: 7, median: 1 })
    expect(byHour.map(({ hour }) => hour)).toEqual([5, 6, 11, 12, 17, 18, 23])
  })

  it('takes the second size as the reference, or the only one', () => {
    expect(studyOf(fields)).toMatchObject({ reference: 20_000 })
    expect(studyOf({ ...fields, notionals: [7] })).toMatchObject({ reference: 7 })
  })

  it.each([
    [{ reference: 3000 }, 'reference: must be one of notionals: 1000, 20000.'],
    [{ reference: null }, 'reference'],
    [{ notionals: [1000, 1000] }, 'notionals'],
    [{ notionals: [0] }, 'notionals[0]'],
    [{ notionals: [] }, 'notionals'],
    [{ spreadBps: undefined }, 'spreadBps'],
    [{ spreadBps: 2 }, 'spreadBps'],
  ])('are refused by their field: %j', (wrong, says) => {
    expect(() => studyOf({ ...fields, ...wrong })).toThrow(StudyError)
    expect(() => studyOf({ ...fields, ...wrong })).toThrow(says)
  })

  it('need a spread with a panel, and have one with cached rows', () => {
    const { spreadBps: _, impact: _impact, ...rest } = fields
    expect(() => studyOf(rest)).toThrow('spreadBps: is needed.')
    const source = { exchanges: ['heron-perps'], timestamp: 'true' }
    const cached = { version: 1, interval: '1h', start: '2026-01-01', end: '2026-01-02', source, ...rest }
    expect(parseStudy(cached, { fromCache: true })).toMatchObject({
      spreadBps: 'l1_liquidity.spread_bps',
      impact: 'abs(impact.impact_per_notional)',
      measured: 'slippage.slippage_bps_mean',
    })
  })

  it('become those of a test', () => {
    expect(testedCosts({ spreadBps: 's', impact: 'i' })).toEqual({ spreadBps: 's', slippage: { perNotional: 'i' } })
    expect(testedCosts({ spreadBps: 's', impact: null })).toEqual({ spreadBps: 's', slippage: { bps: 0 } })
  })

  const rowsWith = (columns: Record<string, number[]>) =>
    hourly({ A: { spread: day([2]), impact: day([1e-8]), paid: day([1]), ...columns } })
  it.each([
    ['without a spread', { spread: day([MISSING]) }, {}, 'No cell has a cost: no spread in 24 of 24 cells.'],
    ['that nothing judges', {}, {}, 'in the median'],
    ['that nothing was paid at', { paid: day([MISSING]) }, { measured: 'paid' }, 'nothing was measured'],
    ['that are below what was paid', { paid: day([5]) }, { measured: 'paid' }, 'is 3.000 bps below what was measured'],
    ['that are above what was paid', { paid: day([0]) }, { measured: 'paid' }, 'is 2.000 bps above what was measured'],
    ['that are what was paid', { paid: day([2]) }, { measured: 'paid' }, 'is right on average'],
    ['with a cheap hour', { spread: day([4, 2, 4]) }, {}, 'least at 01:00 UTC (3.000 bps)'],
  ])('%s say so', (_what, columns, more, says) => {
    expect(costVerdict(runOn(rowsWith(columns), { ...fields, ...more }))).toContain(says)
  })

  it('of several symbols name the cheapest and the dearest', () => {
    const impact = day([0])
    const rows = hourly({
      A: { spread: day([2]), impact },
      B: { spread: day([6]), impact },
      C: { spread: day([MISSING]), impact },
    })
    expect(costVerdict(runOn(rows, fields)).replace(/\s/g, ' ')).toBe(
      'A trade of 20 000 costs between 1.000 bps (A) and 3.000 bps (B) in the median, of 2 symbols; 1 more has no cost.',
    )
  })
})

const valuesOf = (values: readonly number[], firstSlot = 0): ClockValues => ({
  firstSlot,
  values: Float64Array.from(values, (value) => (Number.isNaN(value) ? 0 : value)),
  valid: Uint8Array.from(values, (value) => (Number.isNaN(value) ? 0 : 1)),
})

function compareClocks(
  columns: Record<string, Pick<ClockColumn, 'exchange' | 'true'>>,
  names = ['heron/A'],
): ResultOf<'clocks'> {
  const source = { exchanges: ['heron'], timestamp: 'exchange' }
  const range = { start: '2026-01-01', end: '2026-01-31' }
  const study = parseStudy({ version: 1, kind: 'clocks', interval: '1h', ...range, source }, { fromCache: true })
  const panel = memoryPanel(buildPanel(hourly({ A: { x: [1] } }), studyRange(study)))
  const listed = () =>
    Object.entries(columns).map(([column, both]) => ({ column, dataset: column.split('.')[0], ...both }))
  const clocks = { symbols: names.map((symbol) => ({ symbol, columns: listed })) }
  return runStudy({ study, panel, against: null, clocks }) as ResultOf<'clocks'>
}

describe('clocks', () => {
  const wave = (count: number) => Array.from({ length: count }, (_, at) => at % 10)
  const same = { exchange: valuesOf(wave(200)), true: valuesOf(wave(200)) }
  const moved = { exchange: valuesOf(wave(200)), true: valuesOf(wave(200).map((value) => value + 2)) }

  it('pair the times that both have, wherever their rows begin, and rank what moves most', () => {
    const late = { exchange: valuesOf([MISSING, 7, ...wave(200)], 10), true: valuesOf(wave(202), 12) }
    const few = { exchange: valuesOf(wave(99)), true: valuesOf(wave(99)) }
    const flat = { exchange: valuesOf(wave(200).fill(3)), true: valuesOf(wave(200)) }
    const apart = { exchange: valuesOf(wave(5)), true: valuesOf(wave(5), 50) }
    const [{ columns, datasets }] = compareClocks({
      'a.few': few,
      'a.same': same,
      'b.late': late,
      'b.moved': moved,
      'c.flat': flat,
      'c.apart': apart,
    }).symbols
    expect(columns.map(({ column }) => column)).toEqual(['b.moved', 'a.same', 'b.late', 'a.few', 'c.flat', 'c.apart'])
    expect(columns[2]).toEqual({
      column: 'b.late',
      dataset: 'b',
      ...{ n: 200, onlyExchange: 1, onlyTrue: 2, shift: 0, pearson: 1, meanDifference: 0 },
    })
    expect(columns[0]).toMatchObject({ meanDifference: 2, pearson: 1 })
    expect(columns[0].shift).toBeCloseTo(2 / Math.sqrt((8.25 * 200) / 199), 12)
    expect(columns[3]).toMatchObject({ n: 99, shift: null, pearson: null, meanDifference: 0 })
    expect(columns[4]).toMatchObject({ n: 200, shift: null, pearson: null })
    expect(columns[5]).toMatchObject({ n: 0, onlyExchange: 5, onlyTrue: 5, meanDifference: null })
    expect(datasets.map(({ dataset, columns: scored }) => [dataset, scored])).toEqual([
      ['b', 2],
      ['a', 1],
      ['c', 0],
    ])
  })

  it.each([
    ['without columns', {}, 'No column is cached by both clocks.'],
    [
      'with few common times',
      { 'a.x': { exchange: valuesOf([1, 2]), true: valuesOf([1, 2]) } },
      '2 common times at most, 100 are needed',
    ],
    [
      'of values that do not vary',
      { 'a.x': { exchange: valuesOf(wave(200).fill(1)), true: valuesOf(wave(200)) } },
      'none of 1 column varies',
    ],
    ['that agree', { 'a.x': same, 'a.y': same }, 'The clocks agree: none of 2 columns differs at any common time.'],
    ['of one column', { 'a.x': moved }, 'The arrival clock moves a.x most'],
    [
      'of some equal columns',
      { 'a.x': moved, 'a.y': same, 'b.y': same },
      'the middle one of 3 columns by 0; 2 do not move',
    ],
  ])('%s say so', (_what, columns, says) => {
    expect(clockVerdict(compareClocks(columns))).toContain(says)
  })

  it('of several symbols name the one that moves', () => {
    expect(clockVerdict(compareClocks({ 'a.x': moved }, ['heron/A', 'heron/B']))).toContain('a.x of heron/A most')
  })

  it('of several symbols are drawn symbol by symbol, with room for the names of columns', () => {
    const result = compareClocks({ 'a.x': moved, 'a.y': same }, ['heron/A', 'heron/B'])
    const charts = studySheet(result).sections.filter((section) => section.kind === 'chart')
    expect(charts.map(({ names, choice }) => [choice?.option, names])).toEqual([
      ['heron/A', ['a.x', 'a.y']],
      ['heron/B', ['a.x', 'a.y']],
    ])
  })

  it.each([
    [['closee'], 'columns[0]: closee names no column'],
    [['ohlcv.close', 'ohlvc.close'], 'columns[1]: ohlvc.close: there is no dataset ohlvc. Did you mean ohlcv?'],
    [['ohlcv.close', 'ohlcv.close'], 'columns: contains a duplicate'],
    [[], 'columns: must be a list that is not empty'],
  ])('refuse the columns %j', (columns, says) => {
    const source = { exchanges: ['heron'], timestamp: 'exchange' }
    expect(() => studyOf({ kind: 'clocks', source, columns })).toThrow(says)
  })
})
