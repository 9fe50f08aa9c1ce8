import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { catalogChange, type CatalogChange } from '#shared/catalog/catalogChange.ts'
import { catalogSearch } from '#shared/catalog/catalogSearch.ts'
import { knownDatasets } from '#shared/catalog/knownDatasets.ts'
import { rawDatasets as documentedRaw } from '#shared/catalog/rawDatasets.ts'
import { rawSearch } from '#shared/catalog/rawSearch.ts'
import { type Venues, venuesFrom } from '#shared/catalog/venues.ts'
import type { CoverageChanges, Freshness, RawCatalogView, ServiceDataset } from '#shared/contract/areas/discovery.ts'
import { toAppError, type AppError } from '#shared/contract/errors.ts'
import type { Frame } from '#shared/contract/frame.ts'
import { previewSlice } from '#shared/contract/previewSlice.ts'
import { venuesOf } from '#shared/contract/venuesOf.ts'
import { useConnections } from './connections.ts'
import { useHost } from './host.ts'
import { createResource } from './resource.ts'

interface ListedSymbols {
  exchange: string
  symbols: string[]
  freshness: Freshness
}

interface SymbolsOfVenues {
  venues: ListedSymbols[]
  /** Venues whose symbols could not be loaded. */
  failures: { exchange: string; error: AppError }[]
  changed: CoverageChanges | null
}

/** Delay before a reload, so that a refresh of many venues, which sends an event for each, causes only one reload. */
const FOLLOWS_AFTER_MS = 200

/** Catalog, coverage and symbols of the active connection, from the cache or from the services. */
export const useDiscovery = defineStore('discovery', () => {
  const host = useHost()
  const connections = useConnections()

  const catalog = createResource<{ datasets: ServiceDataset[]; freshness: Freshness }, boolean>((refresh, signal) =>
    host.call('discovery.catalog', { refresh }, { signal }),
  )
  const rawCatalog = createResource<{ catalog: RawCatalogView; changed: CoverageChanges | null }, boolean>(
    (refresh, signal) => host.call('discovery.rawCatalog', { refresh }, { signal }),
  )
  const coverage = createResource<{ rows: Frame; freshness: Freshness }>((_query, signal) =>
    host.call('discovery.coverage', {}, { signal }),
  )
  const symbols = createResource<SymbolsOfVenues, boolean>(async (refresh, signal) => {
    const exchanges = ((await knownVenues.ensure())?.list ?? []).map(({ id }) => id)
    const results = await Promise.allSettled(
      exchanges.map(async (exchange) => ({
        exchange,
        ...(await host.call('discovery.symbols', { exchange, refresh }, { signal })),
      })),
    )
    const loadedVenues = results.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    const failures = results.flatMap((each, at) =>
      each.status === 'rejected' ? { exchange: exchanges[at], error: toAppError(each.reason) } : [],
    )
    if (loadedVenues.length === 0 && failures.length > 0) throw failures[0].error
    const changed = refresh ? sumChanges(loadedVenues.flatMap((each) => each.changed ?? [])) : null
    return { venues: loadedVenues, failures, changed }
  })

  const datasets = computed(() => knownDatasets(catalog.value.value?.datasets ?? null))
  /** Documented raw datasets, followed by those that only this service lists. */
  const rawDatasets = computed(() => {
    const listed = rawCatalog.value.value?.catalog.datasets ?? []
    const documentedIds = new Set<string>(documentedRaw.map(({ id }) => id))
    return [...documentedRaw, ...listed.filter(({ id }) => !documentedIds.has(id))]
  })
  const search = computed(() => catalogSearch(datasets.value))
  const searchRaw = computed(() => rawSearch(rawCatalog.value.value?.catalog.datasets ?? []))
  const knownVenues = createResource<Venues>((_query, signal) => venuesOf(host, '', signal))
  /** Resolves once the venues are known, or cannot be loaded. */
  async function venuesLoaded(): Promise<void> {
    // A load that another one replaced ends without an answer.
    while ((await knownVenues.ensure()) === null) if (!knownVenues.isLoading.value) return
  }
  const venueFacts = computed(() => knownVenues.value.value ?? venuesFrom([], []))
  const venues = computed(() => venueFacts.value.list.map(({ id }) => id))
  /** The only part that the active connection offers; null if it offers more, or while its catalog is not known. */
  const slice = computed(() => {
    const known = rawCatalog.value.value?.catalog
    return connections.active?.preview && known ? previewSlice(known.previewPeriod, known.previewSymbols) : null
  })

  /** Venue with which forms begin; null if none is known. Of a connection of previews, one that it offers. */
  const firstVenue = computed(() => Object.keys(slice.value?.symbols ?? {}).at(0) ?? venues.value.at(0) ?? null)
  watch(
    () => connections.active?.preview === true,
    (isPreview) => isPreview && void rawCatalog.ensure(false),
    { immediate: true },
  )

  /**
   * Changes that the last refresh found in the catalog; null before the first refresh, during and after a failed one,
   * once dismissed, and after a switch to another connection.
   */
  const catalogChanges = shallowRef<CatalogChange | null>(null)
  /** Changes that the last refresh found in coverage or symbols; null in the same cases as `catalogChanges`. */
  const coverageChanges = shallowRef<CoverageChanges | null>(null)

  async function refreshCatalog(): Promise<void> {
    catalogChanges.value = null
    const datasetsBefore = catalog.value.value?.datasets
    // The raw-event catalog is refreshed too, because the same screen shows its datasets and the first day with daily
    // files.
    const [refreshed] = await Promise.all([catalog.load(true), refreshCoverage()])
    if (refreshed && datasetsBefore) catalogChanges.value = catalogChange(datasetsBefore, refreshed.datasets)
  }

  async function refreshCoverage(): Promise<void> {
    coverageChanges.value = null
    const refreshed = await rawCatalog.load(true)
    if (!refreshed) return
    await coverage.load()
    coverageChanges.value = refreshed.changed
  }

  async function refreshSymbols(): Promise<void> {
    coverageChanges.value = null
    const refreshed = await symbols.load(true)
    if (refreshed) coverageChanges.value = refreshed.changed
  }

  function forgetAnswers(): void {
    for (const each of [catalog, rawCatalog, coverage, symbols, knownVenues]) each.forget()
    void knownVenues.load()
    catalogChanges.value = null
    coverageChanges.value = null
  }
  watch(() => connections.active?.id, forgetAnswers)
  void knownVenues.ensure()
  watch(
    () => connections.active?.venues,
    () => void knownVenues.load(),
  )

  /** Reloads after a refresh by another window or the command line; what this window is loading itself is skipped. */
  async function follow(): Promise<void> {
    const shouldReload = (each: { value: { value: unknown }; isLoading: { value: boolean } }) =>
      each.value.value !== null && !each.isLoading.value
    void knownVenues.load()
    if (shouldReload(catalog)) void catalog.load(false)
    if (shouldReload(symbols)) void symbols.load(false)
    if (shouldReload(rawCatalog)) await rawCatalog.load(false)
    if (shouldReload(coverage)) await coverage.load()
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  host.on('discovery.changed', ({ connectionId }) => {
    if (connectionId !== connections.active?.id) return
    clearTimeout(timer)
    timer = setTimeout(() => void follow(), FOLLOWS_AFTER_MS)
  })

  // Units of one's own datasets are among the units of the columns.
  host.on('data.changed', () => void knownVenues.load())

  return {
    catalog,
    rawCatalog,
    coverage,
    symbols,
    datasets,
    rawDatasets,
    venues,
    slice,
    /** Venues of the connection, with their units and times. */
    venueFacts,
    firstVenue,
    /** Symbols of that venue; empty until they are loaded. Of a connection of previews, the one that it offers. */
    firstSymbols: computed(() => {
      const { value: venue } = firstVenue
      const offered = slice.value && venue !== null ? slice.value.symbols[venue] : undefined
      if (offered !== undefined) return [offered]
      return symbols.value.value?.venues.find(({ exchange }) => exchange === venue)?.symbols ?? []
    }),
    venuesLoaded,
    search,
    searchRaw,
    catalogChanges,
    coverageChanges,
    refreshCatalog,
    refreshCoverage,
    refreshSymbols,
    searchSymbols: (text: string, limit: number, signal: AbortSignal) =>
      host.call('discovery.searchSymbols', { text, limit }, { signal }),
  }
})

/** Calls `apply` with the first venue of the connection, at once or when it becomes known. */
export function withFirstVenue(apply: (venue: string) => void): void {
  const discovery = useDiscovery()
  const stop = watch(
    () => discovery.firstVenue,
    (venue) => {
      if (venue === null) return
      apply(venue)
      void Promise.resolve().then(() => stop())
    },
    { immediate: true },
  )
}

/**
 * Returns an entry as it is once the venues are known, because one that was made before names no venue.
 * @param entries returns the entries as they are now
 */
export async function entryOnVenues<Entry extends { id: string }>(
  entry: Entry,
  entries: () => readonly Entry[],
): Promise<Entry> {
  await useDiscovery().venuesLoaded()
  return entries().find(({ id }) => id === entry.id) ?? entry
}

function sumChanges(changes: readonly CoverageChanges[]): CoverageChanges {
  const totalOf = (key: 'added' | 'gone' | 'longer') => changes.reduce((sum, change) => sum + change[key], 0)
  const examplesOf = (key: 'added' | 'gone' | 'longer') => changes.flatMap((change) => change.examples[key]).slice(0, 5)
  return {
    added: totalOf('added'),
    gone: totalOf('gone'),
    longer: totalOf('longer'),
    examples: { added: examplesOf('added'), gone: examplesOf('gone'), longer: examplesOf('longer') },
  }
}
