/** Simulated analysts, whose skill is known: what the forward record says of them is compared with the truth. */
import { calibrate, type CalibrationTest } from '#shared/lab/forward/calibration.ts'
import { noTrials } from '#shared/lab/portfolio/sharpeStatistics.ts'
import { type ForwardScore, forwardScore, type ScoredDay } from '#shared/lab/forward/forwardScore.ts'

/** Draws numbers from 0 to 1 that are the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Draw = () => number

const normalOf =
  (random: Draw): Draw =>
  () =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Up on 60 % of days, and earning nothing on average. */
const skewedOf =
  (random: Draw): Draw =>
  () =>
    random() < 0.6 ? 2 / Math.sqrt(6) : -3 / Math.sqrt(6)

const DAILY_DEVIATION = 0.01

interface Lengths {
  recorded: number
  forward: number
}

/** Scores a test whose returns have this annual Sharpe ratio. */
function scoreOf(draw: Draw, annualSharpe: number, { recorded, forward }: Lengths): ForwardScore {
  const mean = annualSharpe / Math.sqrt(365)
  const nextReturn = () => DAILY_DEVIATION * (mean + draw())
  const record = {
    riskFree: 0,
    recorded: Float64Array.from({ length: recorded }, nextReturn),
    earlierTrials: noTrials,
    isTrial: true,
    registration: null,
  }
  const days = Array.from({ length: forward }, (_, day): ScoredDay => ({ day, net: nextReturn(), ics: [] }))
  return forwardScore(record, days)
}

export interface NoSkill {
  tests: number
  /** Share with a forward Sharpe ratio above 0. */
  positive: number
  /** Share whose evidence ever reached 20. */
  supported: number
}

/** Analysts who know nothing. */
export function withoutSkill(
  seed: number,
  { tests, isSkewed = false, forward = 250 }: { tests: number; isSkewed?: boolean; forward?: number },
): NoSkill {
  const random = randomOf(seed)
  const draw = isSkewed ? skewedOf(random) : normalOf(random)
  let [positive, supported] = [0, 0]
  for (let test = 0; test < tests; test++) {
    const score = scoreOf(draw, 0, { recorded: 365, forward })
    if ((score.sharpe ?? 0) > 0) positive++
    if (score.supported !== null) supported++
  }
  return { tests, positive: positive / tests, supported: supported / tests }
}

/** Tests whose true annual Sharpe ratios are spread evenly from −1 to 3. */
export function plantedSkill(seed: number, tests: number) {
  const random = randomOf(seed)
  const draw = normalOf(random)
  const scored = Array.from({ length: tests }, (_, at): CalibrationTest => {
    const score = scoreOf(draw, 4 * random() - 1, { recorded: 1460, forward: 250 })
    return {
      ...{ sequence: at + 1, family: String(at), isTrial: true, registered: false, recordedDays: 1460 },
      ...{ days: score.days, recorded: score.expected, forward: score.sharpe, deflated: score.deflated },
    }
  })
  const { slope, expectedSlope } = calibrate(scored).all
  return { tests, slope: slope ?? NaN, expectedSlope: expectedSlope ?? NaN }
}

/** Share of tests with a true annual Sharpe ratio of 3 that two years support. */
export function supportOfSkill(seed: number, tests: number): number {
  const draw = normalOf(randomOf(seed))
  const scores = Array.from({ length: tests }, () => scoreOf(draw, 3, { recorded: 365, forward: 730 }))
  return scores.filter(({ supported }) => supported !== null).length / tests
}
