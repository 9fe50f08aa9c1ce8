import type { Router } from 'vue-router'
import { fromHere } from '../widgets/addressQuery.ts'
import type { CatalogHit } from '#shared/catalog/catalogSearch.ts'
import { normaliseForSearch } from '#shared/catalog/normaliseForSearch.ts'
import { isContractType, symbolSearch } from '#shared/catalog/resolveSymbol.ts'
import { parseSymbol, shortSymbol } from '#shared/catalog/symbols.ts'
import { catalogName } from '#shared/catalog/synonyms.ts'
import { MS_PER_DAY, parseDay } from '#shared/time.ts'
import { symbolLabel } from '#shared/workspace/columnLabels.ts'
import { defaultColumn } from '#shared/workspace/defaultColumn.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { PaletteProvider, PaletteResult } from '../stores/commands.ts'
import { useCoverage } from '../stores/coverage.ts'
import { useDiscovery } from '../stores/discovery.ts'
import { useWorkspaces } from '../stores/workspaces.ts'
import { shellText } from '../text/shell.ts'
import { useKnownIds } from '../widgets/useKnownIds.ts'

/** Pause before a search, so that fast typing does not start a search for every letter. */
const PAUSE_MS = 60
/** Maximum number of symbols, of datasets, and of portfolios and factors together. */
const MOST_FOUND = 12

const { palette: text } = shellText

/** Creates the providers of all results other than commands, in the order in which the palette lists their results. */
export const createProviders = (router: Router): PaletteProvider[] => [
  dayProvider(router),
  chartProvider(router),
  symbolProvider(router),
  datasetProvider(router),
  portfolioProvider(router),
  guideProvider(router),
]

interface VenueSymbol {
  exchange: string
  symbol: string
}

/**
 * Tells whether a word is a common spelling of this symbol: its base currency, its label, its short form or its
 * complete id.
 */
const isSymbol = (word: string, symbol: string): boolean =>
  [parseSymbol(symbol)?.base ?? '', symbolLabel(symbol), shortSymbol(symbol), symbol].some(
    (written) => normaliseForSearch(written) === word,
  )

/** Fewest letters by which a word names a venue. */
const LEAST_VENUE_LETTERS = 3

/** Splits off a word that begins the name of a venue, such as `beta` in `eth beta`. */
async function splitVenueWord(words: readonly string[]): Promise<{ names: readonly string[]; venue: string | null }> {
  const discovery = useDiscovery()
  await discovery.venuesLoaded()
  const venues = discovery.venues.map(normaliseForSearch)
  const isVenue = (word: string) => word.length >= LEAST_VENUE_LETTERS && venues.some((venue) => venue.startsWith(word))
  const at = words.length < 2 ? -1 : words.findIndex(isVenue)
  return at < 0 ? { names: words, venue: null } : { names: words.toSpliced(at, 1), venue: words[at] }
}
const onVenue = (name: string, venue: string | null) => (venue === null ? name : `${name}@${venue}`)

async function findSymbols(query: string, signal: AbortSignal): Promise<VenueSymbol[]> {
  const discovery = useDiscovery()
  await pause(PAUSE_MS, signal)
  // The symbols come from the cache; those older than a day are first requested from the service again.
  await discovery.symbols.ensure(false)
  const found = await discovery.searchSymbols(query, MOST_FOUND, signal)
  // `BTC` alone means the symbol with the usual quote and settlement currency; other symbols of the same base follow.
  const { name } = symbolSearch(query)
  const isTypedSymbol = ({ symbol }: VenueSymbol) => normaliseForSearch(symbolLabel(symbol)) === name
  return found.toSorted((a, b) => Number(isTypedSymbol(b)) - Number(isTypedSymbol(a)))
}

const symbolProvider = (router: Router): PaletteProvider => ({
  heading: text.symbols,
  async find(query, signal) {
    const { names, venue } = await splitVenueWord(normaliseForSearch(query.trim()).split(/\s+/))
    const found = await findSymbols(onVenue(names.join(' '), venue), signal)
    return found.map(({ exchange, symbol }) => ({
      id: `symbol.${exchange}.${symbol}`,
      title: shortSymbol(symbol),
      hint: exchange,
      isExact: isSymbol(names.join(' '), symbol),
      run: () =>
        router.push({ path: '/coverage', query: { venue: exchange, symbol, at: `trades/${exchange}/${symbol}` } }),
    }))
  },
})

/** Tells whether a query names this dataset or column by id, label or common trading term. */
function isNamed(query: string, { dataset, column }: Pick<CatalogHit, 'dataset' | 'column'>): boolean {
  const wanted = normaliseForSearch(query.trim())
  const names = column
    ? [column.name, column.label, `${dataset.id}.${column.name}`, column.name.replaceAll('_', ' ')]
    : [dataset.id, dataset.name]
  return names.some((name) => normaliseForSearch(name) === wanted || normaliseForSearch(name) === catalogName(wanted))
}

const datasetProvider = (router: Router): PaletteProvider => ({
  heading: text.datasets,
  async find(query) {
    const found = useDiscovery().search(query).slice(0, MOST_FOUND)
    return found.map(({ dataset, column }) => ({
      id: `catalog.${dataset.id}.${column?.name ?? ''}`,
      title: column ? column.label : dataset.name,
      hint: column ? `${dataset.id}.${column.name}` : dataset.id,
      isExact: isNamed(query, { dataset, column }),
      run: () =>
        router.push({
          path: `/catalog/${encodeURIComponent(dataset.id)}`,
          query: column ? { column: column.name } : {},
        }),
    }))
  },
})

const MOST_CHARTS = 6

const isTimesSign = (word: string) => word === '×' || word === 'x' || word === '*'

/** Splits typed text into names, without the sign and the word for perpetual swaps in text such as `funding × btc perp`. */
const typedNames = (query: string): string[] =>
  normaliseForSearch(query.trim())
    .split(/\s+/)
    .filter((word, at, all) => at === 0 || at === all.length - 1 || !isTimesSign(word))
    .filter((word, at) => at === 0 || !isContractType(word))

/**
 * Finds combinations such as `btc funding` and `funding × btc` of a symbol and a metric, and opens them as a preview
 * chart.
 */
const chartProvider = (router: Router): PaletteProvider => ({
  heading: text.charts,
  async find(query, signal) {
    const { names: typed, venue } = await splitVenueWord(typedNames(query))
    if (typed.length < 2) return []
    for (const [at, word] of typed.entries()) {
      const symbols = (await findSymbols(onVenue(word, venue), signal)).filter(({ symbol }) => isSymbol(word, symbol))
      const metric = typed.toSpliced(at, 1).join(' ')
      const hits = symbols.length > 0 ? useDiscovery().search(metric) : []
      if (hits.length > 0) return chartResults(router, metric, hits, symbols)
    }
    return []
  },
})

function chartResults(router: Router, metric: string, hits: readonly CatalogHit[], symbols: readonly VenueSymbol[]) {
  const seen = new Set<string>()
  const results = hits.flatMap(({ dataset, column }): PaletteResult[] => {
    const name = column?.name ?? defaultColumn(dataset.id)
    const shownColumn = dataset.columns.find((each) => each.name === name)
    if (!shownColumn || seen.has(`${dataset.id}.${shownColumn.name}`)) return []
    seen.add(`${dataset.id}.${shownColumn.name}`)
    return symbols.map(({ exchange, symbol }) => ({
      id: `chart.${dataset.id}.${shownColumn.name}.${exchange}.${symbol}`,
      title: text.chartOf(shownColumn.label, symbolLabel(symbol)),
      hint: `${exchange} · ${dataset.id}.${shownColumn.name}`,
      isExact: isNamed(metric, { dataset, column }),
      run: () => showSeries(router, { dataset: dataset.id, column: shownColumn.name, exchange, symbol }),
    }))
  })
  return results.toSorted((a, b) => Number(b.isExact) - Number(a.isExact)).slice(0, MOST_CHARTS)
}

/**
 * Opens a series as a preview chart, with the interval and timestamp source of the first series of the open chart, or
 * with those that are cached if these are not.
 */
async function showSeries(router: Router, series: VenueSymbol & { dataset: string; column: string }): Promise<void> {
  const go = fromHere(router)
  const sources = allSeries(useWorkspaces().document).flatMap(({ source }) => (source.kind === 'column' ? source : []))
  const wanted = sources.at(0) ?? { interval: '1m', timestamp: 'exchange' }
  const [{ cachedRows, cachedSeries }, cached] = await Promise.all([
    import('../views/workbench/pickerItems.ts'),
    useCoverage().series.load(),
  ])
  const isOfSeries = ({ dataset, exchange, symbol }: VenueSymbol & { dataset: string }) =>
    dataset === series.dataset && exchange === series.exchange && symbol === series.symbol
  const { interval, timestamp } = cachedRows(cachedSeries(cached).filter(isOfSeries), wanted)
  await go({ path: '/workbench', query: { show: JSON.stringify([{ ...series, interval, timestamp }]) } })
}

const dayProvider = (router: Router): PaletteProvider => ({
  heading: text.days,
  async find(query) {
    const day = query.trim()
    const startMs = parseDay(day)
    if (startMs === null) return []
    const range = { startMs, endMs: startMs + MS_PER_DAY }
    return [
      {
        id: `day.${day}`,
        title: text.showDay(day),
        hint: text.inChart,
        isExact: true,
        async run() {
          await router.push('/workbench')
          const workspaces = useWorkspaces()
          await workspaces.start()
          await workspaces.edit((before) => ({ ...before, range }), { quiet: true })
        },
      },
    ]
  },
})

/**
 * Lists portfolios and factors that were used on this machine, and those of the sandbox if it is connected; they are
 * loaded when the palette first searches.
 */
function portfolioProvider(router: Router): PaletteProvider {
  const readIds = () => ({ portfolio: useKnownIds('portfolio').ids, factor: useKnownIds('factor').ids })
  let knownIds: ReturnType<typeof readIds> | undefined
  return {
    heading: text.portfolios,
    async find(query) {
      const ids = (knownIds ??= readIds())
      const wanted = normaliseForSearch(query.trim())
      const found = (['portfolio', 'factor'] as const).flatMap((kind) =>
        ids[kind].value.filter((id) => normaliseForSearch(id).includes(wanted)).map((id) => ({ kind, id })),
      )
      const results = found.map(({ kind, id }) => ({
        id: `${kind}.${id}`,
        title: id,
        hint: text[kind],
        isExact: normaliseForSearch(id) === wanted,
        run: () =>
          router.push(
            kind === 'portfolio'
              ? { path: '/portfolios/portfolio', query: { portfolio: id } }
              : { path: '/portfolios/factors', query: { factor: id } },
          ),
      }))
      return results.toSorted((a, b) => Number(b.isExact) - Number(a.isExact)).slice(0, MOST_FOUND)
    },
  }
}

/** Finds pages of the guide by their title and search terms; the guide loads when the palette first searches. */
const guideProvider = (router: Router): PaletteProvider => ({
  heading: text.guide,
  async find(query) {
    const { findGuidePages } = await import('../views/guide/findGuidePages.ts')
    return findGuidePages(query).map(({ id, title }) => ({
      id: `guide.${id}`,
      title,
      hint: text.inGuide,
      isExact: false,
      run: () => router.push(`/guide/${id}`),
    }))
  },
})

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, durationMs)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    })
  })
}
