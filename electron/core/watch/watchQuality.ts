import { parseSymbol } from '#shared/catalog/symbols.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import type { Clock } from '#core/ports.ts'
import { CHECKS_VERSION } from '#core/quality/qualityPlan.ts'
import type { QualityService } from '#core/quality/qualityService.ts'
import type { Store } from '#core/store/store.ts'
import { pairKey } from '#core/store/watchStore.ts'

export interface QualityCountDeps {
  store: Store
  clock: Clock
  quality: QualityService
}

interface CountRequest {
  connectionId: string
  pairs: readonly ListedPair[]
  fingerprints: ReadonlyMap<string, string>
  today: number
  /** Number of recent days in which findings are counted. */
  days: number
  quality: 'check' | 'known'
}

/**
 * Counts the open findings of each pair of venue and symbol; counts are cached until a file, an accepted finding or the
 * day changes.
 */
export async function checkedCounts(
  { store, quality: service }: QualityCountDeps,
  { connectionId, pairs, fingerprints, today, days, quality }: CountRequest,
  options: { signal: AbortSignal; onProgress?: (progress: Progress) => void },
): Promise<{ counts: Map<string, number>; unchecked: number }> {
  const groups = groupsByBase(pairs)
  const revision = store.quality.acceptedRevision()
  const rememberedByPair = store.watch.storedFigures(connectionId, 'quality')
  const counts = new Map<string, number>()
  const uncountedGroups: { group: readonly ListedPair[]; fingerprint: string }[] = []
  for (const group of groups) {
    const states = group.map((pair) => [pair.exchange, pair.symbol, fingerprints.get(pairKey(pair)) ?? ''])
    const fingerprint = JSON.stringify([CHECKS_VERSION, today, days, revision, states])
    const before = group.map((pair) => rememberedByPair.get(pairKey(pair)))
    if (before.every((each) => each?.fingerprint === fingerprint))
      group.forEach((pair, index) => counts.set(pairKey(pair), Number(before[index]?.figures)))
    else uncountedGroups.push({ group, fingerprint })
  }
  const uncheckedPairs = uncountedGroups.flatMap(({ group }) => group)
  if (quality === 'known' || uncheckedPairs.length === 0) return { counts, unchecked: uncheckedPairs.length }
  const filter = { connectionId, pairs: uncheckedPairs, startDay: today - days, endDay: today }
  const { findings } = await service.check(filter, options)
  for (const pair of uncheckedPairs) counts.set(pairKey(pair), 0)
  for (const finding of findings)
    if (!finding.accepted) counts.set(pairKey(finding), (counts.get(pairKey(finding)) ?? 0) + 1)
  const newFigures = uncountedGroups.flatMap(({ group, fingerprint }) =>
    group.map(({ exchange, symbol }) => {
      const figures = String(counts.get(pairKey({ exchange, symbol })))
      return { exchange, symbol, fingerprint, figures }
    }),
  )
  store.watch.remember(connectionId, 'quality', newFigures)
  return { counts, unchecked: 0 }
}

/** Groups pairs by base, because the venues of one base are compared with each other. */
function groupsByBase(pairs: readonly ListedPair[]): ListedPair[][] {
  const groups = new Map<string, ListedPair[]>()
  for (const pair of pairs) {
    const base = parseSymbol(pair.symbol)?.base
    const key = base === undefined ? pairKey(pair) : `base ${base}`
    const group = groups.get(key)
    if (group) group.push(pair)
    else groups.set(key, [pair])
  }
  return [...groups.values()]
}
