import { computed, shallowReactive, shallowRef, watch } from 'vue'
import { toAppError } from '#shared/contract/errors.ts'
import { useConnections } from '../../stores/connections.ts'
import { useHost } from '../../stores/host.ts'

const FOUND_MOST = 200

/** The symbols of these venues: asked for once each, so that the search finds them. */
export function useDiscovery(exchanges: () => readonly string[]) {
  const host = useHost()
  const connections = useConnections()
  const byExchange = shallowReactive(new Map<string, readonly string[]>())
  const problem = shallowRef<string | null>(null)

  watch(
    [exchanges, () => connections.active?.id],
    async ([wanted, connection], [, connectionBefore]) => {
      if (connection !== connectionBefore) byExchange.clear()
      problem.value = null
      for (const exchange of wanted.filter((each) => !byExchange.has(each))) {
        try {
          byExchange.set(exchange, (await host.call('discovery.symbols', { exchange })).symbols)
        } catch (thrown) {
          const error = toAppError(thrown)
          problem.value = `The symbols of ${exchange} are not known: ${error.sentence} ${error.remedy}`
        }
      }
    },
    { immediate: true },
  )

  const symbols = computed(() => [...new Set(exchanges().flatMap((exchange) => byExchange.get(exchange) ?? []))])

  async function search(text: string, signal: AbortSignal): Promise<string[]> {
    const wanted = new Set(exchanges())
    try {
      const found = await host.call('discovery.searchSymbols', { text, limit: FOUND_MOST }, { signal })
      return [...new Set(found.filter(({ exchange }) => wanted.has(exchange)).map(({ symbol }) => symbol))]
    } catch {
      // A failed or cancelled search falls back to the known symbols without a message.
      return symbols.value.filter((symbol) => symbol.toLowerCase().includes(text.toLowerCase()))
    }
  }

  return { symbols, problem, search }
}
