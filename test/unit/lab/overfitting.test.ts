import { describe, expect, it } from 'vitest'
import { backtestOverfitting, combinationsOfSize } from '#shared/lab/portfolio/backtestOverfitting.ts'
import {
  averageCorrelation,
  computeOverfitting,
  returnsOnCommonDays,
  judgeOverfitting,
} from '#shared/lab/portfolio/overfitting.ts'
import { parseOverfittingInput } from '#shared/lab/portfolio/parseOverfittingInput.ts'
import { sharpeSample } from '#shared/lab/portfolio/sharpeStatistics.ts'
import { foldDays } from '#shared/lab/portfolio/walkForward.ts'
import { normalCumulative, normalQuantile } from '#shared/statistics/distributions.ts'
import { averageRanks } from '#shared/statistics/ranks.ts'
import { randomOf } from '../../fakes/panelWorld.ts'

/**
 * Returns a generator of normal numbers, which the Box–Muller transform makes in pairs, so that a family of noise is
 * generated quickly.
 */
function normalsOf(seed: number): () => number {
  const random = randomOf(seed)
  let spare: number | null = null
  return () => {
    if (spare !== null) {
      const value = spare
      spare = null
      return value
    }
    const radius = Math.sqrt(-2 * Math.log(random() + Number.MIN_VALUE))
    const angle = 2 * Math.PI * random()
    spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
}

const noise = (seed: number, trials: number, days: number): Float64Array[] => {
  const normal = normalsOf(seed)
  return Array.from({ length: trials }, () => Float64Array.from({ length: days }, () => 0.01 * normal()))
}
const trialOf = (net: Float64Array) => ({ firstDay: 0, net })

describe('the normal distribution', () => {
  it('has its published quantiles, and gives them back', () => {
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963984540054, 14)
    expect(normalQuantile(0.95)).toBeCloseTo(1.6448536269514722, 14)
    for (const p of [1e-300, 1e-9, 0.001, 0.3, 0.5, 0.8, 0.999999])
      expect(normalCumulative(normalQuantile(p)) / p).toBeCloseTo(1, 9)
  })
})

describe('the probability of backtest overfitting', () => {
  /** Joins the rows of the chosen blocks and computes every figure from the raw returns. */
  function bruteForce(returns: Float64Array[], blocks: number) {
    const rows = Math.floor(returns[0].length / blocks)
    const cut = returns.map((values) => values.subarray(values.length % blocks))
    const joined = (values: Float64Array, chosen: number[]) =>
      chosen.flatMap((block) => [...values.subarray(block * rows, (block + 1) * rows)])
    const sharpe = (values: number[]) => {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
      return mean / Math.sqrt(squares / (values.length - 1))
    }
    return combinationsOfSize(blocks, blocks / 2).map((chosen) => {
      const others = Array.from({ length: blocks }, (_, block) => block).filter((block) => !chosen.includes(block))
      const inside = cut.map((values) => sharpe(joined(values, chosen)))
      const outside = cut.map((values) => sharpe(joined(values, others)))
      const best = inside.indexOf(Math.max(...inside))
      const share = averageRanks(Float64Array.from(outside))[best] / (returns.length + 1)
      return { logit: Math.log(share / (1 - share)), loses: outside[best] < 0 }
    })
  }

  it('equals brute force over all 70 splits', () => {
    const returns = noise(11, 9, 203)
    const splits = bruteForce(returns, 8)
    const found = backtestOverfitting(returns, 8)
    expect(splits).toHaveLength(70)
    expect(found).toMatchObject({ splits: 70, rowsPerBlock: 25, days: 200, trials: 9 })
    found?.logits.forEach((logit, at) => expect(logit).toBeCloseTo(splits[at].logit, 9))
    expect(found?.pbo).toBeCloseTo(splits.filter(({ logit }) => logit <= 1e-12).length / 70, 12)
    expect(found?.lossShare).toBeCloseTo(splits.filter(({ loses }) => loses).length / 70, 12)
  })

  it('is not disturbed by a huge return in a block that is not among the chosen ones', () => {
    const returns = noise(12, 9, 200)
    returns.forEach((values, trial) => (values[3] = 1e6 * (trial + 1)))
    const splits = bruteForce(returns, 8)
    backtestOverfitting(returns, 8)?.logits.forEach((logit, at) => expect(logit).toBeCloseTo(splits[at].logit, 9))
  })

  it('is small where one trial is better everywhere', () => {
    const returns = noise(4, 6, 400)
    returns[2] = returns[2].map((value) => value + 0.01)
    expect(backtestOverfitting(returns, 16)).toMatchObject({ splits: 12_870, pbo: 0, lossShare: 0 })
  })

  it('needs two trials and two rows a block', () => {
    expect(backtestOverfitting(noise(1, 1, 100), 8)).toBeNull()
    expect(backtestOverfitting(noise(1, 2, 15), 8)).toBeNull()
  })
})

describe('trials of a family', () => {
  it('have the mean correlation of all pairs', () => {
    const returns = noise(21, 7, 90)
    for (const values of returns.slice(1)) for (let day = 0; day < 90; day++) values[day] += 0.5 * returns[0][day]
    const correlation = (a: Float64Array, b: Float64Array) => {
      const centred = (values: Float64Array) => {
        const mean = values.reduce((sum, value) => sum + value, 0) / values.length
        return values.map((value) => value - mean)
      }
      const [x, y] = [centred(a), centred(b)]
      const dot = (p: Float64Array, q: Float64Array) => p.reduce((sum, value, at) => sum + value * q[at], 0)
      return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y))
    }
    const pairs = returns.flatMap((a, at) => returns.slice(at + 1).map((b) => correlation(a, b)))
    const mean = pairs.reduce((sum, value) => sum + value, 0) / pairs.length
    expect(averageCorrelation(returns)).toBeCloseTo(mean, 12)
  })

  it('are compared on the days that all with days have', () => {
    const trial = (firstDay: number | null, days: number) => ({ firstDay, net: new Float64Array(days) })
    expect(returnsOnCommonDays([trial(10, 20), trial(null, 0), trial(15, 10)]).map(({ length }) => length)).toEqual([
      10, 10,
    ])
    expect(returnsOnCommonDays([trial(10, 5), trial(20, 5)]).map(({ length }) => length)).toEqual([0, 0])
  })

  it('are deflated at the risk-free rate that is asked for', () => {
    const trials = noise(31, 5, 60).map((net, at) => trialOf(net.map((value) => value * (1 + at) + 0.001)))
    const judged = judgeOverfitting(trials[2].net, trials, { trialsInLedger: 5, blocks: 2, riskFree: 0.3 })
    const daily = 1.3 ** (1 / 365) - 1
    const sharpes = trials.map(({ net }) => {
      const mean = net.reduce((sum, value) => sum + value - daily, 0) / 60
      return mean / Math.sqrt(net.reduce((sum, value) => sum + (value - daily - mean) ** 2, 0) / 59)
    })
    const mean = sharpes.reduce((sum, value) => sum + value, 0) / 5
    const variance = sharpes.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4
    expect(judged.sharpe).toBeCloseTo(sharpes[2], 12)
    expect(judged.sharpeVariance / variance).toBeCloseTo(1, 12)
  })

  it('of noise are accepted by the deflated Sharpe in at most 5 % of the families, and by the plain one in most', () => {
    const families = 30
    let deflated = 0
    let plain = 0
    for (let family = 0; family < families; family++) {
      const trials = noise(500 + family, 200, 120).map(trialOf)
      const sharpes = trials.map(({ net }) => sharpeSample(net, 0).sharpe ?? 0)
      const best = trials[sharpes.indexOf(Math.max(...sharpes))]
      const judged = judgeOverfitting(best.net, trials, { trialsInLedger: 200, blocks: 2, riskFree: 0 })
      if ((judged.deflated ?? 0) > 0.95) deflated++
      if ((judged.probabilistic ?? 0) > 0.95) plain++
    }
    expect(deflated / families).toBeLessThanOrEqual(0.05)
    expect(plain / families).toBeGreaterThan(0.7)
  })
})

describe('the published examples', () => {
  const figuresOf = (document: object) => computeOverfitting(parseOverfittingInput(document))
  const negativelySkewed = { skewness: -3, kurtosis: 10 }
  const tested = { sharpe: 2.5 / Math.sqrt(250), days: 1250, sharpeVariance: 0.5 / 250 }

  it.each([
    [100, negativelySkewed, 0.9004],
    [46, negativelySkewed, 0.9505],
    [88, {}, 0.9505],
  ])('deflate a Sharpe ratio by %i trials', (trials, shape, deflated) => {
    expect(figuresOf({ ...tested, ...shape, trials }).deflated).toBeCloseTo(deflated, 4)
  })

  it('have the expected maximum of 100 trials', () => {
    expect(figuresOf({ ...tested, ...negativelySkewed, trials: 100 }).expectedMaximum).toBeCloseTo(0.1132, 4)
  })

  it('have the probability that a monthly Sharpe ratio is above 0', () => {
    const monthly = { sharpe: 0.458, days: 24 }
    expect(figuresOf({ ...monthly, skewness: -2.448, kurtosis: 10.164 }).probabilistic).toBeCloseTo(0.913, 3)
    expect(figuresOf(monthly).probabilistic).toBeCloseTo(0.982, 3)
  })

  it('have the years of a track record and of a backtest', () => {
    const daily = { sharpe: 2 / Math.sqrt(250), benchmark: 1 / Math.sqrt(250), days: 250 }
    expect((figuresOf(daily).minimumTrackRecordDays ?? 0) / 250).toBeCloseTo(2.73, 2)
    const monthly = {
      sharpe: 2 / Math.sqrt(12),
      benchmark: 1 / Math.sqrt(12),
      days: 12,
      skewness: -0.72,
      kurtosis: 5.78,
    }
    expect((figuresOf(monthly).minimumTrackRecordDays ?? 0) / 12).toBeCloseTo(4.99, 2)
    expect(figuresOf({ ...daily, trials: 45 }).minimumBacktestDays / 365).toBeCloseTo(5, 1)
  })
})

describe('folds', () => {
  const rules = { folds: 3, train: 'past', embargoDays: 0, lookbackBars: null } as const

  it('leave the first part for training alone', () => {
    expect(foldDays(100, 10, rules)).toEqual([
      { firstDay: 102, endDay: 105 },
      { firstDay: 105, endDay: 107 },
      { firstDay: 107, endDay: 110 },
    ])
  })

  it('cover every day where they train around, and none is empty', () => {
    expect(foldDays(0, 2, { ...rules, train: 'around' })).toEqual([
      { firstDay: 0, endDay: 1 },
      { firstDay: 1, endDay: 2 },
    ])
  })
})
