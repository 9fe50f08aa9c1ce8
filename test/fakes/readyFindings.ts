import type { Panel } from '#shared/lab/panel.ts'
import type { Study } from '#shared/lab/kinds.ts'
import type { EventStudy } from '#shared/lab/kinds/events/fields.ts'
import type { SeasonalityStudy } from '#shared/lab/kinds/seasonality/fields.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { readyStudiesOn } from '#shared/lab/readyStudies.ts'
import { runStudy } from '#shared/lab/runStudy.ts'
import { memoryPanel } from '#shared/lab/studyPanel.ts'
import { falseDiscoveryRates } from '#shared/lab/samples.ts'
import { studentUpperQuantile } from '#shared/statistics/distributions.ts'
import { DailyMarket } from '../../electron/sandbox/market/daily.ts'
import { FALL_AFTER_WIDENING, FUNDING_RISE, HOURS_OF_FALL } from '../../electron/sandbox/market/plantedEffects.ts'
import { sandboxPanel } from './sandboxPanel.ts'

/** An effect of known size beside what a study says about it. */
export interface PlantedFinding {
  planted: number
  mean: number
  low: number
  high: number
  p: number
}

/** Time at which the studies are offered: the planted effects are checked over the three months before it. */
const READY_AT = Date.UTC(2026, 7, 15)

const readyStudy = (id: string): Study =>
  parseStudy(
    readyStudiesOn({ venue: 'venuea-futures', nowMs: READY_AT }).studies.find((one) => one.id === id)?.document,
    { fromCache: true },
  )

/** Ready-made studies in which nothing is planted. */
export const effectless = [
  'funding-carry',
  'volume-delta-momentum',
  'open-interest-change',
  'basis-reversion',
  'toxicity-after-large-trades',
  'btc-leads-alts',
] as const

function fundingFindings(study: SeasonalityStudy, panel: Panel): PlantedFinding[] {
  const result = runStudy({ study, panel: memoryPanel(panel), against: null })
  const cells = result.kind === 'seasonality' ? result.cells : []
  return [FUNDING_RISE, -FUNDING_RISE].map((planted, at) => {
    const cell = cells.find(({ minutesToFunding }) => minutesToFunding === 120 - 60 * at)
    const { n = 0, mean = NaN, sd = NaN, p = NaN } = cell ?? {}
    const halfWidth = (studentUpperQuantile(n - 1) * Number(sd)) / Math.sqrt(n)
    return { planted, mean: Number(mean), low: Number(mean) - halfWidth, high: Number(mean) + halfWidth, p: Number(p) }
  })
}

function wideningFinding(study: EventStudy, panel: Panel): PlantedFinding {
  const result = runStudy({ study: { ...study, when: 'wide' }, panel: memoryPanel(panel), against: null })
  const path = 'events' in result ? result.path : []
  const point = path.find(({ offset }) => offset === HOURS_OF_FALL)
  const { mean, low, high, p } = point?.byTime ?? {}
  const orMissing = (value: number | null | undefined) => value ?? NaN
  return {
    planted: -FALL_AFTER_WIDENING,
    mean: orMissing(mean),
    low: orMissing(low),
    high: orMissing(high),
    p: orMissing(p),
  }
}

/** Collects the p-values of a study's forward results: rank ICs, the path after events, and lags at which BTC leads. */
function forwardTests(study: Study, panel: Panel): (number | null)[] {
  const result = runStudy({ study, panel: memoryPanel(panel), against: null })
  if ('horizons' in result) return result.horizons.map(({ rankIc }) => rankIc.nonOverlapping.p)
  if ('path' in result) return result.path.filter(({ offset }) => offset > 0).map(({ byTime }) => byTime.p)
  if ('pairs' in result) return result.pairs.flatMap(({ lags }) => lags.filter(({ lag }) => lag > 0).map(({ p }) => p))
  throw new Error('The ready-made studies have changed.')
}

/** Removes the leader of a lead-lag study from the members of a panel. */
function withoutLeader(panel: Panel, leader: string | null): Panel {
  const { symbols, hasRow } = panel
  const at = symbols.indexOf(leader ?? '')
  return { ...panel, member: hasRow.map((has, cell) => (cell % symbols.length === at ? 0 : has)) }
}

/** Runs the studies with planted effects, and the given effectless ones, on the market of a seed. */
export function readyFindings(seed: number, ids: readonly string[] = effectless) {
  const lead = readyStudy('btc-leads-alts')
  const panel = sandboxPanel(new DailyMarket(seed), lead)
  const others = withoutLeader(panel, lead.kind === 'leadlag' ? lead.reference : null)
  const [season, events] = [readyStudy('funding-hours'), readyStudy('spread-widening')]
  if (season.kind !== 'seasonality' || events.kind !== 'events') throw new Error('The ready-made studies have changed.')
  const significant = ids.filter((id) => {
    const tests = forwardTests(readyStudy(id), id === 'btc-leads-alts' ? panel : others)
    return falseDiscoveryRates(tests).some((q) => q !== null && q <= 0.05)
  })
  return { fundingHours: fundingFindings(season, others), spreadWidening: wideningFinding(events, others), significant }
}
