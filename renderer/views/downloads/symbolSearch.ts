import { symbolOfTicker } from '#shared/catalog/symbolNames.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { computed, shallowReactive, shallowRef, watch } from 'vue'
import { toAppError } from '#shared/contract/errors.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'
import { downloadsText } from '../../text/downloads.ts'

/** Maximum number of matches to ask the core for. */
const MOST_FOUND = 200

/**
 * Searches the symbols of some venues. The symbols of each venue are requested once, because the core searches only
 * symbols that it has stored.
 */
export function useSymbolSearch(exchanges: () => readonly string[]) {
  const host = useHost()
  const connections = useConnections()
  const symbolsByExchange = shallowReactive(new Map<string, readonly string[]>())
  const problem = shallowRef<string | null>(null)

  watch(
    [exchanges, () => connections.active?.id],
    async ([wanted, connection], [, connectionBefore]) => {
      if (connection !== connectionBefore) symbolsByExchange.clear()
      problem.value = null
      for (const exchange of wanted.filter((each) => !symbolsByExchange.has(each))) {
        try {
          symbolsByExchange.set(exchange, (await host.call('discovery.symbols', { exchange })).symbols)
        } catch (thrown) {
          const error = toAppError(thrown)
          problem.value = downloadsText.symbols.notLoaded(exchange, `${error.sentence} ${error.remedy}`)
        }
      }
    },
    { immediate: true },
  )

  const symbols = computed(() => [...new Set(exchanges().flatMap((exchange) => symbolsByExchange.get(exchange) ?? []))])

  async function search(text: string, signal: AbortSignal): Promise<string[]> {
    const wanted = new Set(exchanges())
    try {
      const found = await host.call('discovery.searchSymbols', { text, limit: MOST_FOUND }, { signal })
      return [...new Set(found.filter(({ exchange }) => wanted.has(exchange)).map(({ symbol }) => symbol))]
    } catch {
      // A failed or cancelled search falls back to the known symbols without a message.
      return symbols.value.filter((symbol) => symbol.toLowerCase().includes(text.toLowerCase()))
    }
  }

  /** Finds the symbols of a ticker such as BTC: on each venue the one with the preferred quote currency. */
  const symbolsOfTicker = (ticker: string) => [
    ...new Set(exchanges().flatMap((exchange) => symbolOfTicker(symbolsByExchange.get(exchange) ?? [], ticker) ?? [])),
  ]

  return { symbols, problem, search, symbolsOfTicker }
}

/**
 * Splits a text at spaces, commas, semicolons and quotes into symbols and the words that are not symbols. A symbol may
 * leave out the contract type, as tables do; a symbol that is no perpetual counts only if it is listed.
 */
export function symbolsIn(text: string, listed: readonly string[] = []): { symbols: string[]; others: string[] } {
  const listedSymbols = new Set(listed)
  const symbolOf = (piece: string) =>
    listedSymbols.has(piece) ? piece : [piece, `perpetual-${piece}`].find((each) => parseSymbol(each))
  const pieces = [...new Set(text.split(/[\s,;"']+/).filter(Boolean))]
  return {
    symbols: [...new Set(pieces.flatMap((piece) => symbolOf(piece) ?? []))],
    others: pieces.filter((piece) => !symbolOf(piece)),
  }
}
