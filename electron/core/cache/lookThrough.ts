import type { CacheReport } from '#shared/contract/areas/cache.ts'
import { isBroken } from './finding.ts'
import { inspectCache, type InspectOptions, type InspectDeps } from './inspectCache.ts'
import { repairIssues, remedyOf, type RepairDeps } from './mend.ts'

/** A list that a person can read; the rest is counted. */
const LISTED_PROBLEMS = 1000

export interface VerifyOptions {
  repair: boolean
  /** Whether every value is read, not the times and the checksum alone. */
  deep?: boolean
}

/** Verifies the cache and, where asked to, repairs it on the way. */
export async function verifyCache(
  deps: InspectDeps & RepairDeps,
  options: InspectOptions & VerifyOptions,
): Promise<CacheReport> {
  const { connectionId, repair } = options
  const { files, sizeBytes } = deps.files.totals({ connectionId })
  const report: CacheReport = { files, sizeBytes, broken: 0, repaired: 0, harmless: 0, problems: [], more: 0 }
  for await (const issues of inspectCache(deps, options)) {
    if (repair) await repairIssues(deps, issues)
    for (const { kind, path, message } of issues) {
      const remedy = remedyOf[kind]
      if (isBroken(kind)) report.broken++
      else report.harmless++
      if (repair && isBroken(kind) && remedy !== null) report.repaired++
      if (report.problems.length < LISTED_PROBLEMS) report.problems.push({ kind, path, message, remedy })
      else report.more++
    }
  }
  return report
}
