import { createSymbolResolver, type VenueSymbol } from '#shared/catalog/resolveSymbol.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import type { Client } from '#shared/contract/client.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { AppError } from '#shared/contract/errors.ts'
import { cellOf, type Frame } from '#shared/contract/frame.ts'

interface Place extends VenueSymbol {
  dataset?: string
}

/** Number of symbols that a message names. */
const MOST_NAMED = 12

/**
 * Replaces a short name such as `btc` by the cached symbol of the venue that it means. Throws if it means several or
 * none, and names those that it may mean.
 */
export async function withFullSymbol<Query extends Place>(
  client: Client,
  connectionId: string,
  query: Query,
  signal: AbortSignal,
): Promise<Query> {
  const { exchange, symbol, dataset } = query
  if (parseSymbol(symbol)) return query
  const owners = [connectionId, computedOwner(connectionId)]
  const cached = await Promise.all(
    owners.map((owner) => client.call('coverage.cachedSeries', { connectionId: owner }, { signal })),
  )
  const series = cached
    .flatMap((frame) => rowsOf(frame))
    .filter((each) => dataset === undefined || each.dataset === dataset)
  if (series.some((each) => each.exchange === exchange && each.symbol === symbol)) return query
  const venues = symbolsByVenue(series)
  const resolve = createSymbolResolver(venues)
  const meant = resolve(symbol, exchange)
  if (meant.kind === 'found' && meant.found.exchange === exchange) return { ...query, symbol: meant.found.symbol }
  if (meant.kind === 'ambiguous') {
    const names = meant.choices.map((each) => each.symbol).join(', ')
    throw new AppError('bad-input', `“${symbol}” on ${exchange} is one of ${names}. Write the one that is meant.`)
  }
  const elsewhere = meaningsOf(resolve, symbol, venues)
  const here = venues.find((each) => each.exchange === exchange)?.symbols ?? []
  const near = meant.kind === 'unknown' ? meant.nearest.map((each) => each.symbol) : []
  const hint =
    elsewhere.length > 0
      ? ` Other venues have it: ${elsewhere.map((each) => `${each.symbol} on ${each.exchange}`).join(', ')}.`
      : near.length > 0
        ? ` Did you mean ${near.join(' or ')}?`
        : here.length > 0 && here.length <= MOST_NAMED
          ? ` Cached: ${here.toSorted().join(', ')}.`
          : ''
  const what = dataset === undefined ? 'Nothing' : `No ${dataset}`
  throw new AppError('not-here', `${what} of a symbol “${symbol}” on ${exchange} is in the cache.${hint}`)
}

/** Returns a filter that keeps the series of a symbol or of all symbols that a short name such as `btc` means. */
export function symbolFilter(symbol: string, series: readonly VenueSymbol[]): (each: VenueSymbol) => boolean {
  if (series.some((each) => each.symbol === symbol)) return (each) => each.symbol === symbol
  const venues = symbolsByVenue(series)
  const wanted = meaningsOf(createSymbolResolver(venues), symbol, venues)
  return (each) => wanted.some(({ exchange, symbol: name }) => exchange === each.exchange && name === each.symbol)
}

/**
 * Replaces short names by the symbols that the chosen venues list. Throws if one means several or none; where no list is
 * known, every name stays as it is.
 */
export async function withListedSymbols<Query extends { exchanges: readonly string[]; symbols: readonly string[] }>(
  client: Client,
  connectionId: string,
  query: Query,
  signal: AbortSignal,
): Promise<Query> {
  const { exchanges, symbols } = query
  if (symbols.every((symbol) => parseSymbol(symbol))) return query
  const lists = exchanges.map((exchange) =>
    client.call('discovery.symbols', { connectionId, exchange }, { signal }).then(
      (listed) => ({ exchange, symbols: listed.symbols }),
      () => ({ exchange, symbols: [] }),
    ),
  )
  const venues = await Promise.all(lists)
  signal.throwIfAborted()
  const listed = new Set(venues.flatMap((each) => each.symbols))
  if (listed.size === 0) return query
  const resolve = createSymbolResolver(venues)
  const full = (name: string): string => {
    if (listed.has(name) || parseSymbol(name)) return name
    const meanings = [...new Set(meaningsOf(resolve, name, venues).map(({ symbol }) => symbol))]
    if (meanings.length === 1) return meanings[0]
    if (meanings.length > 1)
      throw new AppError('bad-input', `“${name}” is one of ${meanings.join(', ')}. Write the one that is meant.`)
    const answer = resolve(name, null)
    const near = answer.kind === 'unknown' ? [...new Set(answer.nearest.map(({ symbol }) => symbol))] : []
    const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
    throw new AppError('bad-input', `“${name}” is not a symbol of ${exchanges.join(', ')}.${hint}`)
  }
  return { ...query, symbols: [...new Set(symbols.map(full))] }
}

/** Lists what a name means on any venue. */
function meaningsOf(
  resolve: ReturnType<typeof createSymbolResolver>,
  symbol: string,
  venues: ReturnType<typeof symbolsByVenue>,
): VenueSymbol[] {
  const answers = symbol.includes('@') ? [resolve(symbol, null)] : venues.map((each) => resolve(symbol, each.exchange))
  return answers.flatMap((answer) =>
    answer.kind === 'found' ? [answer.found] : answer.kind === 'ambiguous' ? answer.choices : [],
  )
}

function symbolsByVenue(series: readonly VenueSymbol[]): { exchange: string; symbols: string[] }[] {
  const byVenue = new Map<string, Set<string>>()
  for (const { exchange, symbol } of series) byVenue.set(exchange, (byVenue.get(exchange) ?? new Set()).add(symbol))
  return [...byVenue].map(([exchange, symbols]) => ({ exchange, symbols: [...symbols] }))
}

type SeriesRow = VenueSymbol & { dataset: string }

/** Reads the rows of a frame of series; it has a column for each of their fields. */
export const rowsOf = <Row extends SeriesRow = SeriesRow>(frame: Frame): Row[] =>
  Array.from(
    { length: frame.rows },
    (_, row) => Object.fromEntries(frame.columns.map((column) => [column.name, cellOf(column, row)])) as unknown as Row,
  )
