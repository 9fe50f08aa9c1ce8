import type { ListedSymbol } from '#shared/contract/areas/lists.ts'
import { AppError } from '#shared/contract/errors.ts'
import { followRenames, type ListedPair, readSymbolLists } from '#shared/contract/listsFile.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { ListStore } from '#core/store/listStore.ts'
import type { Store } from '#core/store/store.ts'
import { importedFile } from './importedFile.ts'
import { mistypedVenues } from './mistypedVenues.ts'

export function listHandlers(lists: ListStore, store: Store, bus: EventBus): Handlers<CallsOf<'lists'>> {
  return {
    'lists.list': ({ connectionId }) => {
      const { id } = connectionId === '' ? store.connections.active() : store.connections.find(connectionId)
      const isKnown = createKnownCheck(store, id)
      return lists.all().map((each) => ({ ...each, known: isKnown(each) }))
    },
    'lists.import': ({ text }) => {
      const { symbols } = importedFile(readSymbolLists(text))
      lists.replace(symbols)
      bus.emit('documents.changed', { kind: 'list' })
      const names = [...new Set(symbols.map(({ list }) => list))]
      return { lists: names, imported: symbols.length, warnings: mistypedVenues(store, symbols) }
    },
    'lists.remove': ({ name }) => {
      const list = store.documents.list.find(name)
      if (list === null) throw new AppError('not-found', `There is no list “${name}”.`)
      store.documents.list.remove(name)
      bus.emit('documents.changed', { kind: 'list' })
      return { removed: list.document.symbols.length }
    },
  }
}

/**
 * Creates a function that tells whether a connection knows a symbol: the symbol's venue lists it, or the cache has
 * files of it, under this name or under its new name after a rename.
 */
function createKnownCheck({ coverage, cacheIndex, instruments }: Store, connectionId: string) {
  const cachedPairs = new Set(
    cacheIndex.series(connectionId).map(({ series: { exchange, symbol } }) => `${exchange}/${symbol}`),
  )
  const describedInstruments = instruments.list()
  const isKnown = ({ exchange, symbol }: ListedPair): boolean =>
    cachedPairs.has(`${exchange}/${symbol}`) || coverage.hasSymbol(connectionId, exchange, symbol)
  const isRenamed = ({ exchange, symbol }: ListedPair) =>
    describedInstruments.some((each) => each.exchange === exchange && each.renamed_from === symbol)
  return (entry: ListedSymbol): boolean =>
    isKnown(entry) || (isRenamed(entry) && followRenames([entry], describedInstruments).some(isKnown))
}
