import { noteText } from './text/messages.ts'
import type { CoverageChanges, Freshness } from '#shared/contract/areas/discovery.ts'

/** Says when and from where data was fetched: “As of 2026-11-20 10:00 UTC, from https://…”. */
export function freshnessNote({ fetchedAt, generatedAt, source }: Freshness): string {
  return noteText.asOf(minuteOf(fetchedAt), generatedAt === null ? null : minuteOf(generatedAt), source)
}

/**
 * Formats what changed since the last refresh, one line per kind of change; returns no lines if nothing changed.
 * @param symbolCount current number of symbols
 */
export function changeLines(changes: CoverageChanges | null, symbolCount: number): string[] {
  // If everything counts as added, this was the first response, and there was nothing to compare it with.
  if (!changes || changes.added === symbolCount) return []
  const kinds = (['added', 'gone', 'longer'] as const).filter((kind) => changes[kind] > 0)
  return kinds.map((kind) => {
    const more = changes[kind] > changes.examples[kind].length ? ', …' : ''
    return `${changes[kind]} ${noteText.changes[kind]}: ${changes.examples[kind].join(', ')}${more}`
  })
}

const minuteOf = (timeMs: number) => `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
