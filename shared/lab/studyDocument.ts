import type { TimestampSource } from '#shared/catalog/intervals.ts'

/** Study documents with all defaults filled in by `parseStudy`. */
export type Study = SignalStudy | EventStudy | LeadLagStudy | SeasonalityStudy

export const studyKinds = ['signal', 'events', 'leadlag', 'seasonality'] as const
export type StudyKind = (typeof studyKinds)[number]

interface StudyBase {
  version: 1
  name: string | null
  interval: string
  start: string | null
  end: string | null
  source: StudySource | null
}

export interface SignalStudy extends StudyBase {
  kind: 'signal'
  signal: string
  price: string
  delayBars: number
  horizons: number[]
  quantiles: number
  sampling: (typeof samplings)[number]
}

export interface EventStudy extends StudyBase {
  kind: 'events'
  when: string
  price: string
  delayBars: number
  edge: boolean
  cooldownBars: number
  before: number
  after: number
  adjust: (typeof adjustments)[number]
}

export interface LeadLagStudy extends StudyBase {
  kind: 'leadlag'
  value: string
  reference: string | null
  maxLag: number
}

export interface SeasonalityStudy extends StudyBase {
  kind: 'seasonality'
  value: string
  by: SeasonalityKey
  center: boolean
}

export const samplings = ['nonOverlapping', 'all'] as const
export const adjustments = ['none', 'market'] as const
export const seasonalityKeys = ['hourWeekday', 'hour', 'weekday', 'dayOfMonth', 'minutesToFunding'] as const
export type SeasonalityKey = (typeof seasonalityKeys)[number]
export const universeSizes = [20, 30, 40] as const

/** Cached rows that a study reads. */
export interface StudySource {
  exchanges: string[]
  symbols: string[] | null
  universe: { size: number; exchange: string } | null
  timestamp: TimestampSource
  against: TimestampSource | null
  /** Breakdowns, for signal studies only; absent from other kinds. */
  by?: StudyBreakdown | null
}

/** Optional breakdowns of a signal study's rank IC. */
export interface StudyBreakdown {
  regime: { overlay: string; cuts: number[] } | null
  groups: Record<string, string[]> | null
}

/** A formula of a study and its field. */
export interface StudyFormula {
  field: string
  formula: string
  /** Names in the formula that are computed, so that no dataset in the cache needs to have them. */
  provided?: readonly string[]
  /** True if the study can run without the formula's values, which are then unknown. */
  isOptional?: boolean
}

/** Lists the formulas of a study by field, in document order. */
export function formulasOf(study: Study): StudyFormula[] {
  switch (study.kind) {
    case 'signal':
      return [
        { field: 'signal', formula: study.signal },
        { field: 'price', formula: study.price },
      ]
    case 'events':
      return [
        { field: 'when', formula: study.when },
        { field: 'price', formula: study.price },
      ]
    default:
      return [{ field: 'value', formula: study.value }]
  }
}

/** Error of an invalid study; the message names the field. */
export class StudyError extends Error {
  readonly field: string

  constructor(field: string, problem: string) {
    super(`${field}: ${problem}`)
    this.name = 'StudyError'
    this.field = field
  }

  /** Recreates an error that arrived from a thread as text. */
  static withMessage(field: string, message: string): StudyError {
    return new StudyError(field, message.slice(`${field}: `.length))
  }
}
