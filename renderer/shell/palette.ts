import type { Router } from 'vue-router'
import { searchForm } from '#shared/catalog/searchForm.ts'
import { shortSymbol } from '#shared/catalog/symbols.ts'
import { fuzzyScore } from '../components/fuzzyMatch.ts'
import { type Command, type PaletteProvider, titleOf } from '../stores/commands.ts'
import { useDiscovery } from '../stores/discovery.ts'
import { shellText } from '../text/shell.ts'

export interface PaletteEntry {
  id: string
  title: string
  /** Group or context, shown beside the title. */
  hint: string
  shortcut: string | null
  run: () => unknown
}

const NO_QUERY_SHOWN = 60
/** Titles are matched letter by letter, keywords only as substrings, because single letters would match every list of keywords. */
const TITLE_BONUS = 20
const RECENT_BONUS = 3

/** Returns the matching commands, best first; without a query, recent ones first and the rest in order. */
export function paletteEntries(
  commands: readonly Command[],
  query: string,
  recent: readonly string[],
): { entry: PaletteEntry; isRecent: boolean }[] {
  const wanted = searchForm(query.trim())
  const rated = commands
    .filter((command) => command.id !== 'palette.open')
    .map((command) => ({ command, rank: recent.indexOf(command.id), score: scoreOf(command, wanted) }))
    .filter((each): each is typeof each & { score: number } => each.score !== null)
  const byRecency = (rank: number) => (rank === -1 ? recent.length : rank)
  rated.sort((a, b) =>
    wanted === ''
      ? byRecency(a.rank) - byRecency(b.rank)
      : b.score + recencyBonus(b.rank) - a.score - recencyBonus(a.rank),
  )
  return rated.slice(0, NO_QUERY_SHOWN).map(({ command, rank }) => ({
    isRecent: wanted === '' && rank !== -1,
    entry: {
      id: command.id,
      title: titleOf(command),
      hint: command.group,
      shortcut: command.shortcuts?.[0] ?? null,
      run: command.run,
    },
  }))
}

const recencyBonus = (rank: number) => (rank === -1 ? 0 : RECENT_BONUS)

function scoreOf(command: Command, wanted: string): number | null {
  const title = fuzzyScore(wanted, searchForm(titleOf(command)))
  if (title !== null) return title + TITLE_BONUS
  const searched = searchForm(`${titleOf(command)} ${command.group} ${command.keywords ?? ''}`)
  return wanted.split(/\s+/).every((word) => searched.includes(word)) ? 0 : null
}

/** Pause before a search, so that fast typing does not search for each letter. */
const PAUSE_MS = 60
const SHOWN = 12

/** Creates the palette's providers of symbols, datasets and columns. */
export function exploreProviders(router: Router): PaletteProvider[] {
  const discovery = useDiscovery()
  return [
    {
      heading: shellText.palette.symbols,
      async find(query, signal) {
        await pause(PAUSE_MS, signal)
        // The service is asked for its symbols only by the first search of a day.
        await discovery.symbols.ensure(false)
        const found = await discovery.searchSymbols(query.trim(), SHOWN, signal)
        return found.map(({ exchange, symbol }) => ({
          id: `symbol.${exchange}.${symbol}`,
          title: shortSymbol(symbol),
          hint: exchange,
          run: () =>
            router.push({ path: '/coverage', query: { venue: exchange, symbol, at: `trades/${exchange}/${symbol}` } }),
        }))
      },
    },
    {
      heading: shellText.palette.datasets,
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
