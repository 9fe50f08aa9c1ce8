/** Scores a recorded run on its forward days. */
import { DAYS_PER_YEAR } from '#shared/portfolio/figures.ts'
import type { Day } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import {
  addTrial,
  bestByLuck,
  probabilisticSharpe,
  riskFreeDaily,
  sharpeSample,
  type SharpeTally,
} from '../portfolio/sharpeStatistics.ts'
import { ROUNDING_FRACTION } from '../samples.ts'
import type { CodedWarning } from '../studyWarnings.ts'
import { createBets, evidenceScale, expectedDays, RUIN_DEVIATIONS, SUPPORTING_EVIDENCE } from './evidence.ts'
import type { KillCriterion } from './killCriterion.ts'

const ANNUAL_FACTOR = Math.sqrt(DAYS_PER_YEAR)
/** Fewest forward days that have a Sharpe ratio. */
const FEWEST_SHARPE_DAYS = 20

/** A day with its score, which never changes. */
export interface ScoredDay {
  day: DayNumber
  /** Net return; null for a signal study. */
  net: number | null
  /** Rank ICs of the samples that ended on the day; empty for a tested portfolio. */
  ics: readonly number[]
  /** True if a file of the day came with other content after the day was scored. */
  isRepublished?: boolean
}

/** What the ledger recorded of a run, as far as scores depend on it. */
export interface ForwardRecord {
  riskFree: number
  /** Net returns of the recorded days; null for a signal study. */
  recorded: Float64Array | null
  /** Trials of its family up to the run, at this risk-free rate; without it if it is no new one. */
  earlierTrials: SharpeTally
  /** True if the run is a new trial, as a walk-forward or a repeated run is not. */
  isTrial: boolean
  /** The registration that the run names. */
  registration: { expect: string; kill: KillCriterion | null } | null
}

const forwardStates = ['waiting', 'running', 'supported', 'killed'] as const
export type ForwardState = (typeof forwardStates)[number]

export interface ForwardScore {
  days: number
  firstDay: Day | null
  lastDay: Day | null
  /** Annual Sharpe ratio; null for fewer than 20 days. */
  sharpe: number | null
  totalReturn: number | null
  maxDrawdown: number | null
  ic: number | null
  /** Annual Sharpe ratio of the record. */
  expected: number | null
  /** Days that a true Sharpe ratio of the recorded size needs to be supported. */
  expectedDays: number | null
  deflated: number | null
  /** Deviation of the recorded returns; null without evidence. */
  scale: number | null
  evidence: number | null
  registered: boolean
  killed: Day | null
  supported: Day | null
  state: ForwardState
  warnings: CodedWarning<string>[]
}

/** Computes the score of a run from the days that were scored, in order. */
export function forwardScore(record: ForwardRecord, days: readonly ScoredDay[]): ForwardScore {
  const { registration, recorded, riskFree } = record
  const scale = recorded && evidenceScale(recorded)
  const bets = scale === null ? null : createBets(scale)
  const figures = createFigures(riskFreeDaily(riskFree), recorded !== null)
  const sign = registration?.expect === 'down' ? -1 : 1
  const kill = registration?.kill ?? null
  const beyond: DayNumber[] = []
  let [killed, supported]: (DayNumber | null)[] = [null, null]
  for (const { day, net, ics } of days) {
    figures.add(net, ics)
    if (bets && scale !== null && net !== null) {
      const gain = sign * (net - riskFreeDaily(riskFree))
      if (gain <= -RUIN_DEVIATIONS * scale) beyond.push(day)
      bets.add(gain)
      if (supported === null && bets.evidence() >= SUPPORTING_EVIDENCE) supported = day
    }
    if (kill && killed === null && figures.count() >= kill.afterDays) {
      const value = figures.values()[kill.figure]
      if (value !== null && value < kill.below) killed = day
    }
  }
  return {
    days: days.length,
    firstDay: dayText(days.at(0)?.day ?? null),
    lastDay: dayText(days.at(-1)?.day ?? null),
    ...figures.values(),
    ...recordedFigures(record),
    scale,
    evidence: bets && bets.evidence(),
    registered: registration !== null,
    killed: dayText(killed),
    supported: dayText(supported),
    state: killed !== null ? 'killed' : supported !== null ? 'supported' : days.length > 0 ? 'running' : 'waiting',
    warnings: [...beyondScale(beyond), ...republished(days)],
  }
}

/** Writes evidence beside what supports a test: “7.3 of 20”. */
export const evidenceText = (evidence: number | null): string | null =>
  evidence === null
    ? null
    : `${evidence < 1000 ? evidence.toFixed(1) : evidence.toExponential(1)} of ${SUPPORTING_EVIDENCE}`

const dayText = (day: DayNumber | null): Day | null => (day === null ? null : dayFromNumber(day))

/** Figures of the record itself, which forward days do not change. */
function recordedFigures({ recorded, riskFree, earlierTrials, isTrial }: ForwardRecord) {
  if (recorded === null) return { expected: null, expectedDays: null, deflated: null }
  const sample = sharpeSample(recorded, riskFree)
  const expected = sample.sharpe === null ? null : sample.sharpe * ANNUAL_FACTOR
  const luck = bestByLuck(isTrial ? addTrial(earlierTrials, sample.sharpe) : earlierTrials)
  return { expected, expectedDays: expectedDays(expected), deflated: probabilisticSharpe(sample, luck) }
}

/** Figures of the days so far, brought up to date day by day. */
function createFigures(dailyRate: number, hasReturns: boolean) {
  let [count, mean, squares, low, high] = [0, 0, 0, Infinity, -Infinity]
  let [growth, peak, deepest] = [1, 1, 0]
  let [samples, icSum] = [0, 0]

  function addReturn(net: number): void {
    const excess = net - dailyRate
    const distance = excess - mean
    mean += distance / count
    squares += distance * (excess - mean)
    low = Math.min(low, excess)
    high = Math.max(high, excess)
    growth *= 1 + net
    peak = Math.max(peak, growth)
    deepest = Math.min(deepest, growth / peak - 1)
  }

  function sharpe(): number | null {
    const doesVary = high - low > ROUNDING_FRACTION * Math.max(Math.abs(low), Math.abs(high))
    return count < FEWEST_SHARPE_DAYS || !doesVary ? null : (mean / Math.sqrt(squares / (count - 1))) * ANNUAL_FACTOR
  }

  return {
    count: () => count,
    add(net: number | null, ics: readonly number[]): void {
      count++
      if (net !== null) addReturn(net)
      for (const ic of ics) icSum += ic
      samples += ics.length
    },
    values() {
      const isShown = hasReturns && count > 0
      return {
        sharpe: isShown ? finiteOrNull(sharpe()) : null,
        totalReturn: isShown ? finiteOrNull(growth - 1) : null,
        maxDrawdown: isShown ? finiteOrNull(deepest) : null,
        ic: samples === 0 ? null : icSum / samples,
      }
    },
  }
}

const finiteOrNull = (value: number | null): number | null => (Number.isFinite(value) ? value : null)

function beyondScale(days: readonly DayNumber[]): CodedWarning<'beyond-scale'>[] {
  if (days.length === 0) return []
  const found = `${plainPlural(days.length, 'forward day')} lost more than ten deviations of the recorded returns`
  const message = `${found}, the first on ${dayFromNumber(days[0])}: what the evidence promises does not hold.`
  return [{ code: 'beyond-scale', message }]
}

function republished(days: readonly ScoredDay[]): CodedWarning<'republished'>[] {
  const changed = days.filter(({ isRepublished = false }) => isRepublished)
  if (changed.length === 0) return []
  const found = `Files of ${plainPlural(changed.length, 'forward day')} came with other content after they were scored`
  return [{ code: 'republished', message: `${found}, the first of ${dayFromNumber(changed[0].day)}; the scores stay.` }]
}
