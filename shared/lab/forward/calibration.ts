/** Compares what tests promised when they were recorded with what they kept on their forward days. */
import { NORMAL_UPPER_QUANTILE, studentUpperQuantile } from '#shared/statistics/distributions.ts'
import { regressionLine } from '#shared/statistics/regressionLine.ts'
import { DAYS_PER_YEAR } from '#shared/portfolio/figures.ts'
import { quantileOf, sampleMomentsOf, varies } from '../samples.ts'

/** Fewest forward days of a test that counts. */
export const FEWEST_DAYS = 60
/** Fewest tests of a group that has figures. */
export const FEWEST_TESTS = 10
const HIGH_DEFLATED = 0.95

/** A recorded run with its score; Sharpe ratios are annual. */
export interface CalibrationTest {
  sequence: number
  family: string
  /** Name of the test, or what it tries; absent from reports of earlier versions. */
  name?: string | null
  isTrial: boolean
  /** Number of forward days. */
  days: number
  recordedDays: number
  recorded: number | null
  forward: number | null
  registered: boolean
  deflated: number | null
}

export type CountedTest = CalibrationTest & { recorded: number; forward: number }

export interface CalibrationGroup {
  tests: number
  /** Least-squares slope of the forward on the recorded Sharpe ratio, with its 95 % interval. */
  slope: number | null
  low: number | null
  high: number | null
  intercept: number | null
  /** Slope that tests without any selection would have, because recorded figures carry noise. */
  expectedSlope: number | null
  medianRecorded: number | null
  medianForward: number | null
  /** Share with a forward Sharpe ratio above 0, with its 95 % interval. */
  positive: number | null
  positiveLow: number | null
  positiveHigh: number | null
}

export interface CalibrationFamily {
  family: string
  /** Name of its best recorded test, or what that tries; null if it has none. */
  name: string | null
  tests: number
  /** Sequence number of its best recorded test. */
  sequence: number
  promised: number
  kept: number
}

export const calibrationGroups = ['all', 'registered', 'unregistered', 'deflatedHigh', 'deflatedLow'] as const
export type CalibrationGroupName = (typeof calibrationGroups)[number]

export interface Calibration extends Record<CalibrationGroupName, CalibrationGroup> {
  tests: number
  families: CalibrationFamily[]
}

/** Keeps the trials that have enough forward days and both Sharpe ratios. */
export const countedTests = (tests: readonly CalibrationTest[]): CountedTest[] =>
  tests.filter(
    (test): test is CountedTest =>
      test.isTrial && test.days >= FEWEST_DAYS && test.recorded !== null && test.forward !== null,
  )

export function calibrate(all: readonly CalibrationTest[]): Calibration {
  const tests = countedTests(all)
  const where = (isIn: (test: CountedTest) => boolean) => groupOf(tests.filter(isIn))
  return {
    tests: tests.length,
    all: groupOf(tests),
    registered: where(({ registered }) => registered),
    unregistered: where(({ registered }) => !registered),
    deflatedHigh: where(({ deflated }) => deflated !== null && deflated >= HIGH_DEFLATED),
    deflatedLow: where(({ deflated }) => deflated !== null && deflated < HIGH_DEFLATED),
    families: [...Map.groupBy(tests, ({ family }) => family)].map(([family, own]) => familyOf(family, own)),
  }
}

function familyOf(family: string, tests: readonly CountedTest[]): CalibrationFamily {
  const best = tests.reduce((found, test) => (test.recorded > found.recorded ? test : found))
  const { name = null } = best
  return { family, name, tests: tests.length, sequence: best.sequence, promised: best.recorded, kept: best.forward }
}

const noFigures = {
  slope: null,
  low: null,
  high: null,
  intercept: null,
  expectedSlope: null,
  medianRecorded: null,
  medianForward: null,
  positive: null,
  positiveLow: null,
  positiveHigh: null,
}

function groupOf(tests: readonly CountedTest[]): CalibrationGroup {
  if (tests.length < FEWEST_TESTS) return { tests: tests.length, ...noFigures }
  const recorded = Float64Array.from(tests, (test) => test.recorded)
  const forward = Float64Array.from(tests, (test) => test.forward)
  return {
    tests: tests.length,
    ...lineOf(recorded, forward),
    expectedSlope: expectedSlope(tests, recorded),
    medianRecorded: quantileOf(recorded.toSorted(), 0.5),
    medianForward: quantileOf(forward.toSorted(), 0.5),
    ...shareAboveZero(forward),
  }
}

function lineOf(recorded: Float64Array, forward: Float64Array) {
  const line = varies(recorded) ? regressionLine(recorded, forward) : null
  if (!line) return { slope: null, low: null, high: null, intercept: null }
  const { slope, intercept, slopeError } = line
  const half = slopeError === null ? null : studentUpperQuantile(line.n - 2) * slopeError
  return { slope, low: half === null ? null : slope - half, high: half === null ? null : slope + half, intercept }
}

/** Share of the variance of the recorded ratios that is not their own noise. */
function expectedSlope(tests: readonly CountedTest[], recorded: Float64Array): number | null {
  const { sd } = sampleMomentsOf(recorded)
  if (!sd) return null
  const noise = tests.reduce((sum, test) => sum + noiseOf(test), 0) / tests.length
  return Math.max(0, 1 - noise / sd ** 2)
}

const noiseOf = ({ recorded, recordedDays }: CountedTest): number =>
  (DAYS_PER_YEAR / recordedDays) * (1 + recorded ** 2 / (2 * DAYS_PER_YEAR))

/** The share of values above 0, with Wilson’s interval. */
function shareAboveZero(values: Float64Array) {
  const n = values.length
  const positive = values.filter((value) => value > 0).length / n
  const z2 = NORMAL_UPPER_QUANTILE ** 2
  const centre = (positive + z2 / (2 * n)) / (1 + z2 / n)
  const half = (NORMAL_UPPER_QUANTILE * Math.sqrt((positive * (1 - positive)) / n + z2 / (4 * n * n))) / (1 + z2 / n)
  return { positive, positiveLow: centre - half, positiveHigh: centre + half }
}
