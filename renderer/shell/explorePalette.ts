import type { Router } from 'vue-router'
import type { PaletteProvider } from '../stores/commands.ts'
import { useDiscovery } from '../stores/discovery.ts'

/** Long enough that who types on is not answered letter by letter. */
const PAUSE_MS = 60
const SHOWN = 12

/** Symbols, datasets and columns for the command palette. */
export function exploreProviders(router: Router): PaletteProvider[] {
  const discovery = useDiscovery()
  return [
    {
      heading: 'Symbols',
      async find(query, signal) {
        await pause(PAUSE_MS, signal)
        // Kept here for a day: only the first search asks the service.
        await discovery.symbols.ensure(false)
        const found = await discovery.searchSymbols(query.trim(), SHOWN, signal)
        return found.map(({ exchange, symbol }) => ({
          id: `symbol.${exchange}.${symbol}`,
          title: symbol,
          hint: exchange,
          run: () =>
            router.push({ path: '/coverage', query: { venue: exchange, symbol, at: `trades/${exchange}/${symbol}` } }),
        }))
      },
    },
    {
      heading: 'Datasets',
      async find(query) {
        return discovery
          .search(query)
          .slice(0, SHOWN)
          .map(({ dataset, column }) => ({
            id: `catalog.${dataset.id}.${column?.name ?? ''}`,
            title: column ? column.label : dataset.name,
            hint: column ? `${dataset.id}.${column.name}` : dataset.id,
            run: () =>
              router.push({
                path: `/catalog/${encodeURIComponent(dataset.id)}`,
                query: column ? { column: column.name } : {},
              }),
          }))
      },
    },
  ]
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, durationMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}
