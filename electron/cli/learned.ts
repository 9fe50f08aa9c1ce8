import type { CoverageChanged, Freshness } from '#shared/contract/areas/discovery.ts'

/** “As of 2026-11-20 10:00 UTC, from https://…”. */
export function freshnessNote({ fetchedAt, generatedAt, source }: Freshness): string {
  const made = generatedAt === null ? '' : `, made by the service ${minuteOf(generatedAt)}`
  return `As of ${minuteOf(fetchedAt)}${made}, from ${source}`
}

/** Nothing where nothing changed. `known` is how many there are now. */
export function changedNote(changed: CoverageChanged | null, known: number): string[] {
  // What was learned for the first time is not news.
  if (!changed || changed.added === known) return []
  const parts = (['added', 'gone', 'longer'] as const).filter((kind) => changed[kind] > 0)
  return parts.map((kind) => {
    const more = changed[kind] > changed.examples[kind].length ? ', …' : ''
    return `${changed[kind]} ${kind}: ${changed.examples[kind].join(', ')}${more}`
  })
}

const minuteOf = (timeMs: number) => `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
