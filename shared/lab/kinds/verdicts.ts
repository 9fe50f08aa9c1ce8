/** Sentences with the answer of a study, made from its figures. */
import type { StudyResult } from '../runStudy.ts'
import type { WarningCode } from '../studyWarnings.ts'
import { parseInterval } from '#shared/time.ts'
import { formatStep } from '#shared/units/durations.ts'
import { numberText } from '#shared/units/numberKinds.ts'
import { formatNumber, formatPercent } from '#shared/units/numbers.ts'
import { plural } from '#shared/units/plurals.ts'
import { NORMAL_UPPER_QUANTILE } from '#shared/statistics/distributions.ts'
import { POWER_QUANTILE } from '../along/correlationTests.ts'
import { mainExclusion } from './sections.ts'

/** Probability below which a verdict calls a result more than chance. */
const SIGNIFICANT = 0.05

export const isSignificant = (p: number | null): boolean => p !== null && p <= SIGNIFICANT

/** Warnings of an answer without figures; each says why there are none. */
const unansweredCodes: readonly WarningCode[] = ['too-few-symbols', 'no-variation', 'no-events']

/** Says why a study has no answer, as far as a warning says it; null if none does. */
export const unansweredText = ({ warnings }: Pick<StudyResult, 'warnings'>): string | null =>
  warnings.find(({ code }) => unansweredCodes.includes(code))?.message ?? null

/** Says why a study has no answer by the reason for which most cells are left out. */
export function nothingUsedText(attrition: Readonly<Record<string, number>>): string {
  const exclusion = mainExclusion(attrition)
  if (exclusion === null) return 'There is no answer: the cells that are used have no figures.'
  const { reason, cells, all } = exclusion
  return `There is no answer: none of ${plural(all, 'cell')} is used, and most are left out for “${reason}” (${formatNumber(cells, 0)}).`
}

/** Sums up counts of cells by reason. */
export function addedAttrition(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {}
  for (const one of all) for (const [key, count] of Object.entries(one)) sum[key] = (sum[key] ?? 0) + count
  return sum
}

export const ratioText = (value: number): string => formatNumber(value, 3)
export const bpsText = (fraction: number): string => {
  const bps = fraction * 1e4
  return `${formatNumber(bps, Math.abs(bps) < 10 ? 1 : 0)} bps`
}
export const percentText = (fraction: number): string => `${formatPercent(fraction, 2)} %`

/** Writes a probability, such as `p 0.012` or `q < 0.001`. */
export const probabilityText = (probability: number, name: 'p' | 'q' = 'p'): string =>
  `${name} ${numberText('probability', probability)}`

/** Half the width of a 95 % interval, as ` ± 0.014`; empty if there is none. */
export function errorText(low: number | null, high: number | null, text = ratioText): string {
  return low === null || high === null ? '' : ` ± ${text((high - low) / 2)}`
}

/** How strong a rank correlation is in words; even weak ones are worth something. */
export function strengthText(ic: number): string {
  const size = Math.abs(ic)
  return size < 0.05 ? 'weakly' : size < 0.2 ? 'clearly' : 'strongly'
}

/** The smallest mean that a test at 5 % finds with a power of 80 %. */
export const detectableMean = (se: number | null): number | null =>
  se === null || se === 0 ? null : (NORMAL_UPPER_QUANTILE + POWER_QUANTILE) * se

/** Writes a number of bars as a duration, such as `3 d`. */
export const durationOfBars = (bars: number, interval: string): string =>
  formatStep(bars * (parseInterval(interval) ?? 0) * 1000)

interface HorizonTest {
  horizon: number
  p: number | null
}

/** Says until which horizon an effect lasts that is there at the first one; empty for a single horizon. */
export function lastingText(tests: readonly HorizonTest[], interval: string): string {
  if (tests.length < 2) return ''
  const gone = tests.find(({ p }) => !isSignificant(p))
  const { horizon } = gone ?? tests[tests.length - 1]
  return gone
    ? `gone after ${durationOfBars(horizon, interval)}`
    : `still there after ${durationOfBars(horizon, interval)}`
}

/** Joins the parts of a sentence that are not empty. */
export const joinedParts = (...parts: string[]): string => parts.filter(Boolean).join(', ')
