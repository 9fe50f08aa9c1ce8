import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import type { KnownListedSymbol } from '#shared/contract/areas/lists.ts'
import type { CallOutput } from '#shared/contract/calls.ts'
import { type AppError, toAppError } from '#shared/contract/errors.ts'
import { followRenames, type ListedPair, type ListEntry, writeSymbolLists } from '#shared/contract/listsFile.ts'
import { useConnections } from './connections.ts'
import { useDiscovery } from './discovery.ts'
import { useHost } from './host.ts'
import { useInstruments } from './instruments.ts'
import { inOrder } from './resource.ts'

/** The user's named lists of symbols, loaded when a screen first needs them. */
export const useLists = defineStore('lists', () => {
  const host = useHost()
  const connections = useConnections()
  const instruments = useInstruments()
  const discovery = useDiscovery()
  const listedSymbols = shallowRef<KnownListedSymbol[]>([])
  const error = shallowRef<AppError | null>(null)
  const isLoaded = shallowRef(false)
  let loading: Promise<void> | null = null
  /** Ids of the connections for which the lists were read again after all symbols had been loaded. */
  const rereadConnections = new Set<string>()

  const read = inOrder(
    (connectionId: string) => host.call('lists.list', { connectionId }),
    (found) => {
      listedSymbols.value = found
      error.value = null
      isLoaded.value = true
    },
  )

  async function reload(): Promise<void> {
    const connectionId = connections.active?.id
    if (!connectionId) return
    try {
      await read(connectionId)
    } catch (thrown) {
      error.value = toAppError(thrown)
    }
  }

  function load(): Promise<void> {
    if (!loading) {
      host.on('documents.changed', ({ kind }) => {
        if (kind === 'list') void reload()
      })
      host.on('discovery.changed', () => void reload())
      host.on('instruments.changed', () => void reload())
      host.onReturn(reload)
      watch(
        () => connections.active?.id,
        () => void reload(),
      )
      void instruments.load().catch(() => {})
    }
    return (loading ??= reload())
  }

  const names = computed(() => [...new Set(listedSymbols.value.map(({ list }) => list))])
  /**
   * Returns the symbols of a list that the connection does not know; empty if the symbols of a venue cannot be loaded.
   */
  async function unknownIn(name: string): Promise<ListedPair[]> {
    const found = await discovery.symbols.ensure(false)
    if (!found || found.failures.length > 0) return []
    if (!rereadConnections.has(connections.active?.id ?? '')) {
      rereadConnections.add(connections.active?.id ?? '')
      await reload()
    }
    return symbolsIn(name).filter(({ known }) => !known)
  }

  const symbolsIn = (name: string) => listedSymbols.value.filter(({ list }) => list === name)

  /** Returns the symbols of a list as entries for the list editor. */
  const entriesOf = (name: string): ListEntry[] =>
    symbolsIn(name).map(({ exchange, symbol, group }) => ({ exchange, symbol, group }))

  /** Returns the pairs of a list, and for renamed instruments also the pairs with their later names. */
  const pairsOf = (name: string): ListedPair[] => followRenames(symbolsIn(name), instruments.list)

  /** Replaces the entries of a list; without entries, the list is removed. */
  async function save(name: string, entries: readonly ListEntry[]): Promise<void> {
    if (entries.length === 0) await remove(name)
    else await importText(writeSymbolLists(entries.map((entry) => ({ list: name, ...entry }))))
  }

  async function importText(text: string): Promise<CallOutput<'lists.import'>> {
    const answer = await host.call('lists.import', { text })
    await reload()
    return answer
  }

  async function remove(name: string): Promise<void> {
    await host.call('lists.remove', { name })
    await reload()
  }

  return {
    listedSymbols,
    names,
    error,
    isLoaded,
    load,
    symbolsIn,
    entriesOf,
    unknownIn,
    pairsOf,
    save,
    importText,
    remove,
  }
})
