import { parseDuration } from '#shared/time.ts'
import { studyKinds, type StudySource } from '../studyDocument.ts'

/** Kinds of Lab documents: studies and tested portfolios. */
export const labKinds = [...studyKinds, 'portfolio'] as const
export type LabKind = (typeof labKinds)[number]

/** Document of a tested portfolio with all defaults filled in by `parsePortfolioStudy`. */
export interface PortfolioStudy {
  version: 1
  kind: 'portfolio'
  name: string | null
  interval: string
  start: string | null
  end: string | null
  source: PortfolioSource | null
  signal: string
  price: string
  delayBars: number
  weights: WeightSettings
  rebalance: { every: string; offset: string }
  /** Smoothing span in rebalances; 1 for none. */
  smoothing: number
  /** Weight difference up to which a position is not traded, unless its target is 0. */
  band: number
  capital: number
  funding: (typeof fundingModes)[number]
  fundingRate: string
  costs: CostSettings
  settleAfterBars: number
  capacity: { levels: number[] } | null
  riskFree: number
  pbo: { blocks: number }
  parameters: Record<string, number[]> | null
  walkForward: WalkForwardSettings | null
  holdout: { fromDay: string } | null
}

export const weightRules = ['rank', 'zscore', 'quantile', 'direct'] as const
export const fundingModes = ['required', 'zero', 'none'] as const
export const trainingPeriods = ['past', 'around'] as const

export interface WeightSettings {
  rule: (typeof weightRules)[number]
  longOnly: boolean
  clip: number
  quantiles: number
  leverage: number
  cap: number | null
}

export interface CostSettings {
  feeBps: number
  /** Full bid–ask spread, of which half is paid: a number or a formula. */
  spreadBps: number | string
  slippage: { bps: number } | { k: number; sigma: string }
  /** Formula of the notional volume traded in a bar. */
  volume: string | null
}

export interface WalkForwardSettings {
  folds: number
  train: (typeof trainingPeriods)[number]
  embargoDays: number
  lookbackBars: number | null
}

export interface PortfolioSource extends StudySource {
  /** Funding period to assume where nothing else is known of it; null for the one that the user typed, if any. */
  fundingEvery: string | null
  exposureBy: ExposureScale | null
}

/** A cached overlay or regime that scales the targets. */
export interface ExposureScale {
  overlay: string
  /** Portfolio whose risk overlay is used; null for a risk regime. */
  portfolio: string | null
  scale: 'value' | { cuts: number[]; factors: number[] }
}

/** Converts a duration of a validated document to milliseconds. */
export const durationMs = (text: string): number => parseDuration(text) ?? NaN

/** Tells whether an unchecked document claims to be a tested portfolio. */
export const isPortfolioDocument = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'kind' in document && document.kind === 'portfolio'

/** Lists the formulas that a test evaluates, by field. */
export function portfolioFormulas(study: PortfolioStudy): { field: string; formula: string }[] {
  const { signal, price, funding, fundingRate, costs } = study
  const { spreadBps, slippage, volume } = costs
  return [
    { field: 'signal', formula: signal },
    { field: 'price', formula: price },
    ...(funding === 'none' ? [] : [{ field: 'fundingRate', formula: fundingRate }]),
    ...(typeof spreadBps === 'string' ? [{ field: 'costs.spreadBps', formula: spreadBps }] : []),
    ...('sigma' in slippage ? [{ field: 'costs.slippage.sigma', formula: slippage.sigma }] : []),
    ...(volume === null ? [] : [{ field: 'costs.volume', formula: volume }]),
  ]
}
