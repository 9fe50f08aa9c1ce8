import { describe, expect, it } from 'vitest'
import { judge } from '#shared/lab/kinds/portfolio/testStatistics.ts'
import { verdict } from '#shared/lab/kinds/portfolio/verdict.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'

interface Facts {
  costs?: Partial<PortfolioResult['costs']>
  overfitting?: Partial<PortfolioResult['overfitting']>
  sharpes?: { net: number | null; gross: number | null }
  more?: object
}

const resultOf = ({ costs, overfitting, sharpes = { net: 1.2, gross: 1.9 }, more }: Facts) =>
  ({
    study: { capital: 1000 },
    days: ['2026-01-01'],
    ruin: null,
    walkForward: null,
    costs: { price: 31, funding: -90, fee: -42, spread: -26, slippage: 0, total: -127, traded: 5000, ...costs },
    figures: { net: { sharpe: sharpes.net }, gross: { sharpe: sharpes.gross } },
    overfitting: {
      ...{ trials: 12, deflated: 0.4, deflatedOnSource: 0.3, sharpe: 0.06, expectedMaximum: 0.1 },
      ...overfitting,
    },
    ...more,
  }) as unknown as PortfolioResult

const gains = { price: 200, funding: 10, fee: -40, spread: -20, total: 150 }

describe('the verdict of a test', () => {
  const cases: [string, Facts, RegExp][] = [
    [
      'says what was lost to which part',
      { overfitting: { sharpe: -0.1 }, sharpes: { net: -1.9, gross: 0.3 } },
      /^It lost 12\.7 % of the capital: prices earned 3\.1, funding cost 9\.0, fees 4\.2, spread 2\.6\. Its costs exceeded the gain: Sharpe −1\.90 after costs, 0\.30 before them\.$/,
    ],
    [
      'says that costs are not why',
      { overfitting: { sharpe: -0.1 }, sharpes: { net: -2, gross: -1 } },
      /no better before costs\.$/,
    ],
    [
      'says what may be luck',
      { costs: gains },
      /^It earned 15\.0 % .*funding earned 1\.0.* Sharpe 1\.20 may be luck: the best of 12 trials reaches 1\.91 by luck, deflated Sharpe 0\.400\.$/,
    ],
    [
      'says what luck hardly explains',
      { costs: gains, overfitting: { deflated: 0.99, deflatedOnSource: 0.97 } },
      /more than luck explains/,
    ],
    [
      'counts the trials of other ideas too',
      { costs: gains, overfitting: { deflated: 0.99, deflatedOnSource: 0.9 } },
      /may be luck/,
    ],
    [
      'has nothing to deflate on the first trial',
      { costs: gains, overfitting: { trials: 1 } },
      /first trial of its family/,
    ],
    ['says that days are too few', { costs: gains, overfitting: { deflated: null } }, /too few days/],
    ['says that nothing was held', { costs: { traded: 0 } }, /^It never held a position/],
    ['says when all was lost', { more: { ruin: { time: 1_767_225_600_000, equity: 0 } } }, /^Ruined at 2026-01-01/],
    [
      'says that no fold could be trained',
      { more: { walkForward: { purgeDays: 9, folds: [{ chosen: null }] } } },
      /^No fold could be trained.* 9 days/,
    ],
    ['has no day to judge', { more: { days: [] } }, /no day with a return/],
    ['says that a sum is no number', { costs: { total: NaN }, overfitting: { trials: 1 } }, /not a number/],
  ]
  it.each(cases)('%s', (_name, facts, expected) => {
    expect(verdict(resultOf(facts))).toMatch(expected)
  })

  it('calls a result strong only if all trials on its rows leave it so', () => {
    const strong = { deflated: 0.99, deflatedOnSource: 0.96 }
    expect(judge(resultOf({ overfitting: strong }))).toBe('strong')
    expect(judge(resultOf({ overfitting: { ...strong, deflatedOnSource: null } }))).toBe('weak')
  })
})
