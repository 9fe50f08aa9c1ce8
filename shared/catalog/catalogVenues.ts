import { isRecord } from '#shared/schemas/isRecord.ts'
import type { Venue } from './venues.ts'

/** Parts of a catalog of raw events that name venues; any of them may be missing or damaged. */
interface CatalogParts {
  datasets?: unknown
  summary?: unknown
}

/**
 * Lists the venues of a catalog of raw events in the order in which it first names them.
 * @param covered venues of its coverage, in their order
 */
export function catalogVenues(catalog: CatalogParts, covered: readonly string[]): Venue[] {
  const datasets = recordsIn(catalog.datasets)
  const names = [
    ...datasets.flatMap(venuesOf),
    ...recordsIn(catalog.summary).map(({ exchange }) => exchange),
    ...covered,
  ]
  const modelled = new Set(datasets.filter(namesKind).flatMap(venuesOf))
  return [...new Set(names)]
    .filter((name): name is string => typeof name === 'string' && name !== '')
    .map((id) => ({ id, short: null, sizes: null, exchangeTimes: modelled.has(id) ? 'modelled' : null }))
}

/** Lists the venues of a catalog's coverage (dataset → venue → symbol) in the order in which it first names them. */
export function coveredVenues(coverage: unknown): string[] {
  if (!isRecord(coverage)) return []
  return [...new Set(Object.values(coverage).flatMap((venues) => (isRecord(venues) ? Object.keys(venues) : [])))]
}

/** Describes where a catalog, or cached files, contradict what was typed, which stands. */
export function venueContradictions(
  typed: readonly Venue[],
  { catalog, modelledInFiles = [] }: { catalog: readonly Venue[]; modelledInFiles?: readonly string[] },
): string[] {
  return typed.flatMap(({ id, exchangeTimes }) => {
    const listed = catalog.find((venue) => venue.id === id)
    const saysModelled =
      listed?.exchangeTimes === 'modelled' ? 'the catalog says' : modelledInFiles.includes(id) ? 'its files say' : null
    return [
      ...(catalog.length > 0 && !listed ? [`it does not name the venue ${id}, which was typed and stays`] : []),
      ...(exchangeTimes === 'measured' && saysModelled
        ? [`${saysModelled} that the times of ${id} are modelled; measured was typed and stands`]
        : []),
    ]
  })
}

const recordsIn = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : [])

const namesKind = ({ columns }: Record<string, unknown>): boolean =>
  recordsIn(columns).some(({ name }) => name === 'exchange_timestamp_kind')

const venuesOf = ({ exchanges }: Record<string, unknown>): unknown[] => (Array.isArray(exchanges) ? exchanges : [])
