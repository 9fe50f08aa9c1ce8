import * as z from '../../schemas/lazySchemas.ts'
import { type Finding, findingKinds } from '../../quality/findings.ts'
import { call } from '../spec.ts'
import { fileFilter } from './cache.ts'
import { connectionId } from './discovery.ts'

const text = z.string().max(300)

/** Identity of a finding, which stays the same when the same check finds it again. */
export const findingIdentity = z.strictObject({
  dataset: text,
  exchange: text,
  symbol: text,
  interval: text,
  timestamp: text,
  kind: z.enum(findingKinds),
  column: text.nullable(),
  from: z.number(),
  to: z.number(),
  origin: z.literal('computed').optional(),
})
export type FindingIdentity = z.infer<typeof findingIdentity>

/** A finding; `accepted` has the note with which the user accepted it, or is null. */
export interface JudgedFinding extends Finding {
  accepted: { note: string; at: number } | null
}

export interface QualityReport {
  findings: JudgedFinding[]
  /** Number of findings that are not in the list. */
  more: number
  /** Number of files that were inspected. */
  files: number
  /** Number of series-days that these files cover. */
  days: number
  /** Unreadable files, each with the reason. */
  unread: { path: string; message: string }[]
}

export const qualityCalls = {
  /** Checks the cached files that match a filter for faults; files checked before are not read again. */
  'quality.check': call(z.strictObject(fileFilter))<QualityReport>(),
  'quality.accept': call(
    z.strictObject({ connectionId, finding: findingIdentity, note: z.string().max(2000) }),
  )<null>(),
  'quality.reopen': call(z.strictObject({ connectionId, finding: findingIdentity }))<{ reopened: number }>(),
}
