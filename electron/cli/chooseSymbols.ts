import { createSymbolResolver } from '#shared/catalog/resolveSymbol.ts'
import { isSymbol, parseSymbol, shortSymbol } from '#shared/catalog/symbols.ts'
import type { Client } from '#shared/contract/client.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { cellOf } from '#shared/contract/frame.ts'
import { addDays } from '#shared/time.ts'
import type { App } from '#core/app.ts'
import { resultPages } from '#core/sql/writeResult.ts'
import type { SymbolScope } from './command.ts'
import { Failure, messageOf } from './failure.ts'
import { seriesIn } from './names.ts'
import type { Output } from './print.ts'
import { nearest } from './suggest.ts'
import { chooseText as text } from './text/terminalTexts.ts'
import { UsageError } from './usageError.ts'

/** Where the symbols are looked for, and who asks. */
export interface SymbolPlace {
  core: Client
  app(): Promise<App>
  connectionId: string
  scope: SymbolScope
  /** Venues that were chosen; empty for all. */
  exchanges: readonly string[]
  datasets: readonly string[]
  out: Output
  signal: AbortSignal
}

interface VenueSymbols {
  exchange: string
  symbols: readonly string[]
}

const isEvery = (typed: string): boolean => typed.toLowerCase() === 'all'
const isPattern = (typed: string): boolean => typed.includes('*')

/**
 * Replaces typed symbols such as `BTC`, `all` and `perpetual-*` by the symbols that they mean. What is a symbol, or means
 * none that is known here, stays as it is, because the service decides which symbols exist. Throws a UsageError with all
 * candidates for names with several meanings, and for a name that means none where the symbols are known; a Failure for
 * a name that only the service could tell, which cannot be asked. Empty for all symbols of an empty cache.
 */
export async function chooseSymbols(typed: readonly string[], place: SymbolPlace, top?: number): Promise<string[]> {
  if (top === undefined && typed.every((each) => parseSymbol(each) && !isPattern(each))) return [...typed]
  const { known, unasked } = await knownSymbols(place)
  const all = [...new Set(known.flatMap(({ symbols }) => symbols))]
  const listed = new Set(all)
  const resolve = createSymbolResolver(known)
  const meaning = (each: string): string[] => {
    if (listed.has(each)) return [each]
    if (isEvery(each)) return all.toSorted()
    if (isPattern(each)) return matching(each, all)
    if (parseSymbol(each)) return [each]
    const meanings = symbolsNamed(each, resolve, known)
    if (meanings.length > 1) ambiguous.push([each, meanings])
    if (meanings.length === 0 && unasked) throw new Failure(text.unasked(each, unasked.exchange, unasked.reason))
    if (meanings.length === 0 && place.scope === 'listed' && all.length > 0 && !isSymbol(each))
      throw new UsageError(text.unknown(each, place.exchanges, nearest(each, namesOf(all))))
    return meanings.length === 0 ? [each] : meanings
  }
  const ambiguous: [typed: string, meanings: string[]][] = []
  const chosen = [...new Set(typed.flatMap(meaning))]
  if (ambiguous.length > 0) throw new UsageError(text.ambiguous(ambiguous))
  if (chosen.length === 0 && place.scope === 'listed') throw new UsageError(text.noSymbols)
  return top === undefined ? chosen : (await byTurnover(chosen, place)).slice(0, top)
}

function matching(pattern: string, all: readonly string[]): string[] {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const shape = new RegExp(`^${parts.join('.*')}$`, 'i')
  const found = all.filter((symbol) => shape.test(symbol)).toSorted()
  if (found.length === 0) throw new UsageError(text.noMatch(pattern))
  return found
}

/** Lists what people call symbols: their base assets, and the symbols without their prefix. */
const namesOf = (symbols: readonly string[]): string[] => [
  ...new Set(symbols.flatMap((symbol) => parseSymbol(symbol)?.base ?? [])),
  ...symbols.map(shortSymbol),
]

/** Resolves a name on each venue; the same symbol on several venues is one meaning. */
function symbolsNamed(
  typed: string,
  resolve: ReturnType<typeof createSymbolResolver>,
  known: readonly VenueSymbols[],
): string[] {
  const isOnVenue = typed.includes('@')
  const answers = isOnVenue ? [resolve(typed, null)] : known.map(({ exchange }) => resolve(typed, exchange))
  const choices = answers.flatMap((answer) =>
    answer.kind === 'found' ? [answer.found] : answer.kind === 'ambiguous' ? answer.choices : [],
  )
  return [...new Set(choices.map(({ symbol }) => symbol))]
}

/** Codes of errors that say that nobody was asked. */
const isOffline: readonly string[] = ['offline', 'not-here']

/** Collects the symbols of the cache and of the service, and the first venue whose symbols could not be asked for. */
async function knownSymbols({ core, connectionId, scope, exchanges, datasets, signal }: SymbolPlace) {
  let unasked: { exchange: string; reason: string | null } | null = null
  const symbolsByVenue = new Map<string, Set<string>>()
  const add = (exchange: string, symbols: readonly string[]) => {
    const all = symbolsByVenue.get(exchange) ?? new Set()
    for (const symbol of symbols) all.add(symbol)
    symbolsByVenue.set(exchange, all)
  }
  const isWanted = (exchange: string) => exchanges.length === 0 || exchanges.includes(exchange)
  for (const { exchange = '', symbol = '', dataset = '' } of seriesIn(
    await core.call('coverage.cachedSeries', { connectionId }, { signal }),
  ))
    if (isWanted(exchange) && (scope === 'listed' || datasets.length === 0 || datasets.includes(dataset)))
      add(exchange, [symbol])
  if (scope === 'listed') {
    const venues =
      exchanges.length > 0
        ? exchanges
        : (await core.call('connections.venues', { id: connectionId })).map(({ id }) => id)
    for (const exchange of venues) {
      try {
        add(exchange, (await core.call('discovery.symbols', { connectionId, exchange }, { signal })).symbols)
      } catch (thrown) {
        signal.throwIfAborted()
        const reason = toAppError(thrown)
        // A refused venue is told by the command itself; a service need not list symbols.
        if (reason.code !== 'rejected' && reason.code !== 'not-found')
          unasked ??= { exchange, reason: isOffline.includes(reason.code) ? null : messageOf(reason) }
      }
    }
  }
  const known = [...symbolsByVenue].map(([exchange, symbols]) => ({ exchange, symbols: [...symbols] }))
  return { known, unasked }
}

/** Number of days before the last cached one over which turnover is averaged. */
const TURNOVER_DAYS = 30

/**
 * Sorts symbols by their mean daily turnover on the chosen venues, as cached candles have it, then by name. Of several
 * intervals of a series, the largest mean counts, because an interval of which a part of the days is cached would count
 * too little.
 */
async function byTurnover(symbols: readonly string[], place: SymbolPlace): Promise<string[]> {
  const { app, connectionId, exchanges, out, signal } = place
  const sql = await (await app()).sql()
  const ask = async (query: string) => {
    const result = await sql.run({ sql: query, parameters: {}, connectionId }, { signal })
    const rows: unknown[][] = []
    for await (const page of resultPages(sql, result, signal))
      for (let row = 0; row < page.rows; row++) rows.push(page.columns.map((column) => cellOf(column, row)))
    await sql.closeResult(result.id)
    return rows
  }
  const [[last]] = await ask("SELECT max(period)::VARCHAR FROM cache.files WHERE dataset = 'ohlcv'")
  const turnovers = new Map<string, number>()
  if (typeof last === 'string') {
    const from = addDays(last.length === 7 ? `${last}-01` : last, -TURNOVER_DAYS)
    const venues = exchanges.map((exchange) => `'${exchange.replaceAll("'", "''")}'`).join(', ')
    const onVenues = venues === '' ? '' : `AND exchange IN (${venues})`
    const rows = await ask(`
      SELECT symbol, sum(turnover) FROM (
        SELECT symbol, exchange, max(turnover) AS turnover FROM (
          SELECT symbol, exchange, interval, clock,
            sum(volume_notional) / count(DISTINCT date_trunc('day', time)) AS turnover
          FROM metrics.ohlcv WHERE time >= '${from}' ${onVenues} GROUP BY ALL)
        GROUP BY ALL)
      GROUP BY symbol`)
    for (const [symbol, turnover] of rows) if (Number(turnover) > 0) turnovers.set(String(symbol), Number(turnover))
  }
  const unranked = symbols.filter((symbol) => !turnovers.has(symbol)).length
  if (unranked > 0) out.note(text.withoutTurnover(unranked))
  return symbols.toSorted((a, b) => (turnovers.get(b) ?? -1) - (turnovers.get(a) ?? -1) || a.localeCompare(b, 'en'))
}
