import { buildPanel } from '#shared/lab/panel.ts'
import { exposureFactors } from '#shared/lab/portfolio/exposureFactors.ts'
import { prepareRows, testPortfolio } from '#shared/lab/portfolio/runPortfolio.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { describe, expect, it } from 'vitest'
import { HOUR_MS, START_MS } from '../../fakes/panelWorld.ts'
import { tableRows, testStudy } from '../../fakes/portfolioWorld.ts'

const STEP_MS = 6 * HOUR_MS
const DAYS = 8
const firstDay = START_MS / MS_PER_DAY

/** Two symbols with constant prices, so that weights stay as they were traded; only their signals change. */
const rows = tableRows(STEP_MS, ['A', 'B'], {
  close: Array.from({ length: DAYS * 4 }, () => [100, 100]),
  signal: Array.from({ length: DAYS * 4 }, (_, time) => [Math.sin(time) / 4, Math.cos(time) / 4]),
})

/** Returns values by number of days after the first day; other days have none. */
const overlay = (values: Record<number, number>) => ({
  days: Int32Array.from(Object.keys(values), (day) => firstDay + Number(day)),
  values: Float64Array.from(Object.values(values)),
})

describe('what scales the exposure', () => {
  const study = testStudy({
    ...{ interval: '6h', weights: { rule: 'direct' }, rebalance: { every: '12h' }, funding: 'none' },
    ...{ delayBars: 3, smoothing: 3, costs: { feeBps: 0 } },
  })
  const panel = buildPanel(rows, studyRange(study))
  const values = { 0: 0.5, 2: 0, 5: -1 }
  /**
   * Computes the factor by the simplest rule: the value that is known at a bar is the last one dated before its day.
   */
  const plainFactor = (time: number, factorOf: (value: number) => number) => {
    const day = Math.floor(time / 4)
    const known = Object.entries(values).filter(([dated]) => Number(dated) < day)
    return known.length === 0 ? 1 : factorOf(known[known.length - 1][1])
  }

  it('is the last value dated before the day of a bar, over days without one, and 1 before the first', () => {
    const factors = exposureFactors(panel, overlay(values), 'value')
    expect([...factors]).toEqual(Array.from({ length: DAYS * 4 }, (_, time) => plainFactor(time, (value) => value)))
    expect([...factors.subarray(0, 5)]).toEqual([1, 1, 1, 1, 0.5])
  })

  it('is the factor at the number of cuts that the value reaches, a cut itself included', () => {
    const scale = { cuts: [0, 0.5], factors: [2, 1, 0.25] }
    const byHand = (value: number) => (value < 0 ? 2 : value < 0.5 ? 1 : 0.25)
    const factors = exposureFactors(panel, overlay(values), scale)
    expect([...factors]).toEqual(Array.from({ length: DAYS * 4 }, (_, time) => plainFactor(time, byHand)))
  })

  it('multiplies the targets of a decision when they are traded later, and leaves the memory of the smoothing', () => {
    const run = (exposure: Float64Array | null) => {
      const input = { study, panel, exposure }
      return testPortfolio(input, prepareRows(input), true).run
    }
    const plain = run(null)
    const scaled = run(exposureFactors(panel, overlay(values), 'value'))
    const trades = Array.from({ length: DAYS * 4 }, (_, time) => time).filter(
      (time) => (time - 3 + 1) % 2 === 0 && time > 3,
    )
    for (const time of trades) {
      const factor = plainFactor(time - 3, (value) => value)
      for (const symbol of [0, 1]) {
        const expected = factor * plain.units![time][symbol]
        expect(scaled.units![time][symbol]).toBeCloseTo(expected, 9)
      }
    }
    expect(trades.length).toBeGreaterThan(12)
  })
})
