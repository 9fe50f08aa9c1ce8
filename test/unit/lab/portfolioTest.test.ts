import { describe, expect, it } from 'vitest'
import type { LongRows } from '#shared/lab/panel.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { capWeights } from '#shared/lab/portfolio/targetWeights.ts'
import { signalLookback } from '#shared/lab/portfolio/walkForward.ts'
import { explainReturns } from '#shared/portfolio/explainReturns.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { HOUR_MS, randomOf, START_MS } from '../../fakes/panelWorld.ts'
import { marketRows, tableRows, testOnRows, testStudy } from '../../fakes/portfolioWorld.ts'

const everyCost = {
  rebalance: { every: '6h', offset: '1h' },
  settleAfterBars: 4,
  costs: { feeBps: 4, spreadBps: 'spread', slippage: { k: 0.6, sigma: 'sigma' }, volume: 'volume' },
}
const rules = [
  { weights: { rule: 'rank' } },
  { weights: { rule: 'zscore', clip: 1.2, leverage: 3, cap: 0.8 } },
  { weights: { rule: 'quantile', quantiles: 3, longOnly: true }, smoothing: 4 },
  { weights: { rule: 'direct' }, band: 0.05, delayBars: 3 },
].map((fields) => ({ ...everyCost, ...fields }))

const expectWithin = (a: number, b: number, share: number) =>
  expect(Math.abs(a - b)).toBeLessThanOrEqual(share * Math.max(Math.abs(a), Math.abs(b)))

/** Returns the rows that a condition accepts, optionally sorted. */
function pickRows(
  rows: LongRows,
  accept: (row: number) => boolean,
  order: (a: number, b: number) => number = () => 0,
): LongRows {
  const places = Array.from(rows.times, (_, row) => row)
    .filter(accept)
    .sort(order)
  const pick = (values: Float64Array) => Float64Array.from(places, (at) => values[at])
  return {
    ...rows,
    times: pick(rows.times),
    symbols: Int32Array.from(places, (at) => rows.symbols[at]),
    columns: new Map([...rows.columns].map(([name, values]) => [name, pick(values)])),
    member: rows.member && Uint8Array.from(places, (at) => rows.member?.[at] ?? 0),
  }
}

type Tested = ReturnType<typeof testOnRows>

/** Computes the profit and loss of a symbol independently, from the units held and the panel's raw cells. */
function plainProfit({ study, panel, run }: Tested, symbol: number) {
  const cell = (name: string, time: number): number => {
    const column = panel.columns.get(name)
    const at = symbol * panel.timeCount + time
    return column?.valid[at] ? column.values[at] : NaN
  }
  const sums = { price: 0, funding: 0, fee: 0, spread: 0, slippage: 0, traded: 0 }
  let units = 0
  let value = NaN
  for (let time = 0; time < run.end; time++) {
    const close = cell('close', time)
    const before = value
    if (close > 0) value = close
    if (units !== 0) {
      sums.price += units * (value - before)
      const rate = cell('funding', time)
      if (!Number.isNaN(rate)) sums.funding -= units * value * rate
    }
    const after = run.units?.[time][symbol] ?? NaN
    if (after !== units) {
      const notional = Math.abs(after - units) * value
      const isSettlement = !(close > 0)
      sums.traded += notional
      sums.fee -= (notional * study.costs.feeBps) / 10_000
      const spread = cell('spread', time)
      const sigma = cell('sigma', time)
      const volume = cell('volume', time)
      if (!isSettlement && !Number.isNaN(spread)) sums.spread -= (notional * spread) / 20_000
      if (!isSettlement && !Number.isNaN(sigma) && volume > 0)
        sums.slippage -= notional * 0.6 * sigma * Math.sqrt(notional / volume)
      units = after
    }
  }
  return sums
}

describe('a tested portfolio', () => {
  it.each(rules)('has the profit and loss of a second, plain computation: %j', (fields) => {
    const tested = testOnRows(marketRows(), fields)
    expect(tested.result.turnover.trades).toBeGreaterThan(50)
    tested.result.symbols.forEach((row) => {
      const plain = plainProfit(tested, tested.panel.symbols.indexOf(row.symbol))
      for (const [part, amount] of Object.entries(plain)) expect(row[part as keyof typeof plain]).toBeCloseTo(amount, 6)
    })
  })

  it.each(rules)('changes its equity by price, funding and costs, to 1e-12: %j', (fields) => {
    const { result, study } = testOnRows(marketRows({ seed: 5 }), fields)
    let before = study.capital
    for (const { equity, price, funding, fee, spread, slippage } of result.bars ?? []) {
      const sum = price + funding + fee + spread + slippage
      expect(Math.abs(equity - before - sum)).toBeLessThanOrEqual(1e-12 * Math.max(equity, before))
      before = equity
    }
    expectWithin(
      result.symbols.reduce((sum, { total }) => sum + total, 0),
      before - study.capital,
      1e-9,
    )
    expectWithin(result.costs.total, before - study.capital, 1e-9)
  })

  it.each(rules)('does not know rows after a bar: %j', (fields) => {
    const rows = marketRows({ seed: 9 })
    const whole = testOnRows(rows, fields)
    for (const kept of [90, 201]) {
      const cut = testOnRows(
        pickRows(rows, (row) => rows.times[row] < START_MS + kept * HOUR_MS),
        fields,
      )
      expect(cut.result.bars?.length).toBeGreaterThan(50)
      expect(cut.result.bars).toEqual(whole.result.bars?.slice(0, cut.result.bars?.length))
    }
  })

  it('does not depend on the order of the rows', () => {
    const rows = marketRows({ seed: 3 })
    const shuffled = pickRows(
      rows,
      () => true,
      (a, b) => ((a * 7919) % 1009) - ((b * 7919) % 1009),
    )
    expect(testOnRows(shuffled, everyCost).result).toEqual(testOnRows(rows, everyCost).result)
  })

  it('counts unknown costs instead of taking them as 0', () => {
    const { result } = testOnRows(marketRows(), everyCost)
    expect(result.unknown.fundingShare).toBeGreaterThan(0)
    expect(result.unknown.spreadNotional).toBeGreaterThan(0)
    expect(result.unknown.slippageNotional).toBeGreaterThan(0)
    const codes = result.warnings.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(['funding-unknown', 'spread-unknown', 'slippage-unknown']))
    const message = result.warnings.find(({ code }) => code === 'funding-unknown')?.message
    expect(message).toMatch(/^Funding is unknown for [\d.]+ % of the held notional/)
  })

  it('takes funding that no column has as 0 only where the document says so', () => {
    const { columns, columnNames, ...rest } = marketRows()
    const without = {
      ...rest,
      columns: new Map([...columns].filter(([name]) => name !== 'funding')),
      columnNames: columnNames.filter((name) => name !== 'funding'),
    }
    expect(() => testOnRows(without)).toThrow(/^fundingRate: .*funding/)
    const { result } = testOnRows(without, { funding: 'zero' })
    expect(result.unknown.fundingShare).toBe(1)
    expect(result.costs.funding).toBe(0)
    expect(result.warnings.map(({ code }) => code)).not.toContain('funding-unknown')
    expect(testOnRows(without, { funding: 'none' }).result.unknown.fundingShare).toBe(0)
  })

  it('takes a formula of numbers as that number everywhere', () => {
    const { result } = testOnRows(marketRows({ gaps: 0 }), {
      signal: '0.1',
      weights: { rule: 'direct' },
      costs: { spreadBps: '1 + 1' },
    })
    expect(result.exposure.net[0]).toBeCloseTo(0.8, 2)
    expect(result.costs.spread).toBeCloseTo(-result.costs.traded / 1e4, 6)
  })

  it('says that nothing was decided', () => {
    const { result } = testOnRows(marketRows({ times: 20 }), { rebalance: { every: '7d', offset: '3d' } })
    expect(result.warnings.map(({ code }) => code)).toContain('no-decision')
    expect(result).toMatchObject({ days: [], net: [], breakEvenFeeBps: null, hitRate: null })
    expect(result.figures.net).toMatchObject({ sharpe: null, totalReturn: null })
  })

  /**
   * The test holds one long and one short position of 1000 each, at constant prices of 10 and 20, decided once at the
   * end of the first hour.
   */
  it.each([
    ['1h', 1, [0.0001, -0.0002]],
    ['4h', 4, [0.0004, 0.0001]],
    ['8h', 8, [-0.0003, 0.0005]],
  ])('pays funding every %s at the funding times alone', (_, every, [a, b]) => {
    const hours = 25
    const due = (hour: number) => (hour + 1) % every === 0
    const rows = tableRows(HOUR_MS, ['A', 'B'], {
      close: Array.from({ length: hours }, () => [10, 20]),
      signal: Array.from({ length: hours }, () => [1, -1]),
      funding: Array.from({ length: hours }, (__, hour) => (due(hour) ? [a, b] : [0, 0])),
    })
    const fields = { capital: 1000, weights: { rule: 'direct' }, delayBars: 0, costs: { feeBps: 0 } }
    const { result: paid } = testOnRows(rows, { ...fields, rebalance: { every: '24h', offset: '1h' } })
    const times = Array.from({ length: hours - 1 }, (__, at) => at + 1).filter(due).length
    const [long, short] = paid.symbols
    expect(long.funding).toBeCloseTo(-1000 * a * times, 8)
    expect(short.funding).toBeCloseTo(1000 * b * times, 8)
  })
})

describe('weights that are rebalanced daily without a delay', () => {
  it('earn gross what the explanation of a served portfolio says, and pay for the drift besides', () => {
    const random = randomOf(17)
    const symbols = ['A', 'B', 'C', 'D']
    const table = (of: () => number) => Array.from({ length: 50 }, () => symbols.map(of))
    const weights = table(() => random() - 0.4)
    const prices = table(() => 10 + 5 * random())
    const rows = tableRows(MS_PER_DAY, symbols, { close: prices, signal: weights })
    const fields = { interval: '1d', weights: { rule: 'direct' }, delayBars: 0, funding: 'none', costs: { feeBps: 5 } }
    const { result } = testOnRows(rows, fields)
    const free = testOnRows(rows, { ...fields, costs: { feeBps: 0 } }).result

    const days = Int32Array.from(weights, (_, at) => START_MS / MS_PER_DAY + at)
    const matrix = (values: number[][]) => ({
      days,
      tickers: symbols,
      values: Float64Array.from(values.flat()),
      valid: new Uint8Array(values.length * symbols.length).fill(1),
    })
    const served = { days, values: new Float64Array(days.length), valid: null }
    const explaining = explainReturns(matrix(weights), matrix(prices), served, 5)
    let step = explaining.next()
    while (!step.done) step = explaining.next()
    const { explained, cost } = step.value
    for (let day = 1; day < days.length; day++) {
      expect(free.gross[day]).toBeCloseTo(Number(explained.values[day]) + Number(cost.values[day]), 12)
    }
    // Equity changes within a day and the weights with it, so the traded amount differs from the change of the target
    // weights.
    const ours = result.amounts.fee.reduce((sum, fee, day) => sum - fee / (result.equity[day - 1] ?? 1e6), 0)
    const theirs = cost.values.reduce((sum: number, value) => sum + Number(value), 0)
    expect(Math.abs(ours / theirs - 1)).toBeLessThan(0.2)
    // The one-way turnover of drift is half of what is traded beyond the changes of the target weights.
    const before = (day: number) => result.equity[day - 1] ?? 1e6
    const oneWay = result.amounts.traded.reduce((sum, traded, day) => {
      const equityBefore = before(day) + result.amounts.price[day]
      const change = weights[day].reduce((all, now, at) => all + Math.abs(now - (weights[day - 1]?.[at] ?? 0)), 0)
      return sum + (traded / equityBefore - change) / 2
    }, 0)
    expect(result.drift.oneWayAnnual).toBeCloseTo((oneWay * 365) / weights.length, 9)
  })
})

describe('slippage by size', () => {
  const fields = (formula: string) => ({
    ...{ rebalance: { every: '6h', offset: '1h' }, funding: 'none', capital: 1000 },
    costs: { feeBps: 0, slippage: { perNotional: formula } },
  })

  it('charges each trade by its own amount, so that capital ten times as large pays a hundred times as much', () => {
    const rows = marketRows({ gaps: 0, times: 8 })
    const [small, large] = [1000, 10_000].map(
      (capital) => testOnRows(rows, { ...fields('1e-9'), capital }).result.costs.slippage,
    )
    expect(small).toBeLessThan(0)
    expectWithin(large, 100 * small, 1e-4)
    const { run, panel } = testOnRows(rows, fields('1e-9'))
    const first = run.first
    const expected = panel.symbols.reduce((sum, _, symbol) => {
      const close = panel.columns.get('close')!.values[symbol * panel.timeCount + first]
      return sum + 1e-9 * ((run.units?.[first][symbol] ?? NaN) * close) ** 2
    }, 0)
    expectWithin(-run.byBar.slippage[first], expected, 1e-12)
  })

  it('is unknown where the impact is missing or negative, and 0 where it is 0', () => {
    const rows = marketRows({ gaps: 0 })
    const amounts = (formula: string) => {
      const { result } = testOnRows(rows, fields(formula))
      const isWarned = result.warnings.some(({ code }) => code === 'slippage-unknown')
      return { ...result.unknown, isWarned, paid: result.costs.slippage, traded: result.costs.traded }
    }
    for (const formula of ['-sigma - 1e-9', 'lag(sigma, 399)']) {
      const { slippageNotional, isWarned, paid, traded } = amounts(formula)
      expectWithin(slippageNotional, traded, 1e-12)
      expect([isWarned, paid]).toEqual([true, 0])
    }
    expect(amounts('sigma * 0')).toMatchObject({ slippageNotional: 0, isWarned: false })
  })

  it('takes the return of larger capital, by level', () => {
    const levels = [1000, 1_000_000]
    const { result } = testOnRows(marketRows({ gaps: 0 }), { ...fields('1e-9'), capacity: { levels } })
    const [small, large] = result.capacity!.map(({ totalReturn }) => totalReturn ?? NaN)
    expect(large).toBeLessThan(small)
  })
})

describe('a cap', () => {
  it('moves what it cuts to the other names', () => {
    const weights = Float64Array.of(0.5, 0.3, 0.15, 0.05, -1)
    expect(capWeights(weights, 0.35)).toBe(true)
    const expected = [0.35, 0.35, 0.225, 0.075, -0.35]
    expected.forEach((weight, at) => expect(weights[at]).toBeCloseTo(weight, 12))
  })
})

describe('the document of a test', () => {
  it.each([
    [{ weights: { leverage: 101 } }, 'weights.leverage'],
    [{ rebalance: { every: '90m' } }, 'rebalance.every'],
    [{ rebalance: { every: '4h', offset: '4h' } }, 'rebalance.offset'],
    [{ costs: { slippage: { k: 1, sigma: 'sigma' } } }, 'costs.volume'],
    [{ costs: { slippage: { k: 1, bps: 2, sigma: 'sigma' } } }, 'costs.slippage.bps'],
    [{ costs: { slippage: { perNotional: 'sigma', bps: 2 } } }, 'costs.slippage.bps'],
    [{ costs: { slippage: { perNotional: 2 } } }, 'costs.slippage.perNotional'],
    [{ pbo: { blocks: 7 } }, 'pbo.blocks'],
    [{ signal: 'sma(a, {n})' }, '{n}'],
    [{ signal: 'lag(a, {n})', parameters: { n: [1] } }, 'walkForward'],
    [{ parameters: { n: [1, 2, 3] }, walkForward: {} }, 'parameters.n: stands nowhere in signal'],
    [{ signal: 'lag(a, {n})', parameters: { n: [1], m: [1, 2] }, walkForward: {} }, 'parameters.m'],
    [{ walkForward: {} }, 'parameters'],
    [{ parameters: { N: [1] }, walkForward: {} }, 'parameters.N'],
    [{ holdout: { fromDay: '2026-02-30' } }, 'holdout.fromDay'],
    [{ source: { exchanges: ['venuea-futures'], timestamp: 'true', by: null } }, 'source.by'],
    [{ horizons: [1] }, 'horizons'],
    [{ smoothing: null }, 'smoothing'],
  ])('is refused by its field: %j', (fields, field) => {
    expect(() => testStudy(fields)).toThrow(StudyError)
    expect(() => testStudy(fields)).toThrow(field)
  })

  it('settles after 3 days of bars where it does not say', () => {
    expect(testStudy().settleAfterBars).toBe(72)
  })
})

describe('the lookback of a signal', () => {
  it.each([
    ['signal', 0],
    ['lag(signal)', 1],
    ['sma(lag(signal, 3), 10) - diff(signal, 20)', 20],
    ['cs_rank(ema(sma(signal, 5), 4))', 45],
    ['rollcorr(signal, lag(close, 2), 12)', 14],
    ["sma(signal, '1d')", 24],
    ["lag(median(signal, '90m'), '7d')", 170],
    ['ewmstd(signal, 6)', 60],
    ["ffill(logret(close, 2), '4h')", 6],
  ])('of %s is %i bars', (signal, bars) => {
    expect(signalLookback(signal, 3_600_000)).toBe(bars)
  })

  it.each(['cumsum(signal)', 'ffill(signal)', "resample(signal, '1d', 'last')"])('of %s has no bound', (signal) => {
    expect(() => signalLookback(signal, 3_600_000)).toThrow('walkForward.lookbackBars')
  })

  it('of settled reaches back to the funding time before, if that is known', () => {
    const signal = 'sma(settled(funding.funding_rate), 24)'
    expect(signalLookback(signal, 3_600_000, 8)).toBe(24 + 8)
    expect(() => signalLookback(signal, 3_600_000)).toThrow('walkForward.lookbackBars')
  })
})
