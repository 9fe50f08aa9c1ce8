import type { ValidatedFile } from '#core/downloads/verifyFile.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Period } from '#shared/time/periods.ts'

interface Place {
  /** In the cache's folder, with `/`. */
  path: string
  message: string
}

interface OfSeries {
  series: OwnedSeries
  period: Period
}

/** Something that a look through the cache found and that is not as it should be. */
export type CacheIssue = Place &
  (
    | ({ kind: 'gone' } & OfSeries)
    | ({ kind: 'damaged'; fullPath: string } & OfSeries)
    /** Whole, but the index does not know it. */
    | ({ kind: 'unlisted'; fullPath: string; proof: ValidatedFile; changedAtMs: number } & OfSeries)
    /** It may be whole; this account, or the disk, does not let us see. */
    | { kind: 'unreachable' }
    /** Of a transfer that nobody will continue. */
    | ({ kind: 'leftover' } & OfSeries)
    | { kind: 'foreign' }
  )

export type CacheIssueKind = CacheIssue['kind']

/** Kinds that make a cache other than clean; the rest is told and harmless. */
export const isBroken = (kind: CacheIssueKind): boolean => kind !== 'leftover' && kind !== 'foreign'
