/** Completes the options of a command line: defaults of the connection, and the symbols that short names mean. */
import { existsSync } from 'node:fs'
import type { Client } from '#shared/contract/client.ts'
import type { Action, Invocation, OptionSpec } from './command.ts'
import { findConnection } from './connections.ts'
import { seriesIn } from './names.ts'
import { usageText } from './text/messages.ts'
import { chooseText as text } from './text/terminalTexts.ts'
import { formatOfName } from './targets.ts'
import { type MissingOptions, UsageError } from './usageError.ts'

type Options = Record<string, boolean | string | number | string[] | undefined>
type Context = Pick<Invocation, 'app' | 'client' | 'connection' | 'dataDir' | 'out' | 'signal'>

/** Options that choose by themselves what the defaults of a connection would choose. */
const choosers = ['list', 'set', 'sql'] as const

/**
 * Fills in what the connection has a default for, its venue and its clock; a command that reads the cache takes the only
 * one that is cached of what was chosen.
 */
export async function fillDefaults(options: Options, table: Action['options'], context: Context): Promise<void> {
  fillFormat(options, table)
  if (options.top !== undefined) {
    if (options.list !== undefined) throw new UsageError(text.topAndList)
    options.symbol ??= table?.symbol?.type === 'list' ? ['all'] : 'all'
  } else if (options.by !== undefined && table?.top) throw new UsageError(text.byNeedsTop)
  if (choosers.some((name) => options[name] !== undefined)) return
  const missing = Object.entries<OptionSpec>(table ?? {}).filter(
    ([name, spec]) =>
      spec.type !== 'flag' &&
      spec.fromConnection &&
      options[name] === undefined &&
      !(name === 'timestamp' && options.raw === true),
  )
  // Without a data folder there are no defaults, and a wrong command line must not create one.
  if (missing.length === 0 || !existsSync(context.dataDir)) return
  const core = await context.client()
  const defaults = await defaultsOf(core, context)
  const isOfCache = table?.symbol && 'symbols' in table.symbol && table.symbol.symbols === 'cached'
  const cached = isOfCache ? await cachedOf(core, options, context) : []
  for (const [name, spec] of missing) {
    if (name !== 'exchange' && name !== 'timestamp') continue
    const only = new Set(cached.flatMap((series) => series[name] || []))
    const value = defaults[name] ?? (only.size === 1 ? [...only][0] : undefined)
    if (value !== undefined) options[name] = spec.type === 'list' ? [value] : value
  }
}

/** The name of the file says which format is meant, where one is needed. */
function fillFormat(options: Options, table: Action['options']): void {
  const spec = table?.format
  if (spec?.type !== 'text' || !spec.required || options.format !== undefined || typeof options.out !== 'string') return
  const named = formatOfName(options.out)
  if (named !== undefined && spec.values?.includes(named)) options.format = named
}

/** Names the venues of the connection in the error about missing options, if a venue is one of them. */
export async function nameVenues(error: MissingOptions, context: Context): Promise<void> {
  if (!error.options.some((option) => /^exchange( |$)/.test(option)) || !existsSync(context.dataDir)) return
  const core = await context.client()
  const { id, name } = await findConnection(core, context.connection)
  const venues = (await core.call('connections.venues', { id })).map((venue) => venue.id)
  if (venues.length > 0) error.hint = text.venues(name, venues)
}

/** Lists the cached series of the datasets, venues and intervals that were chosen. */
async function cachedOf(core: Client, options: Options, { connection }: Context) {
  const { id: connectionId } = await findConnection(core, connection)
  const chosen = (['dataset', 'exchange', 'interval'] as const).map((name) => ({ name, values: listOf(options[name]) }))
  return seriesIn(await core.call('coverage.cachedSeries', { connectionId })).filter((series) =>
    chosen.every(({ name, values }) => values.length === 0 || values.includes(series[name] ?? '')),
  )
}

/** Returns the typed defaults of the connection; its only venue is the default without being typed. */
async function defaultsOf(core: Client, { connection }: Context): Promise<{ exchange?: string; timestamp?: string }> {
  const { id } = await findConnection(core, connection)
  const { exchange, timestamp } = (await core.call('settings.read', {})).commandDefaults[id] ?? {}
  const venues = exchange === undefined ? await core.call('connections.venues', { id }) : []
  const venue = exchange ?? (venues.length === 1 ? venues[0].id : undefined)
  return { ...(venue !== undefined && { exchange: venue }), ...(timestamp !== undefined && { timestamp }) }
}

/** Replaces `BTC`, `all`, `perpetual-*` and `--top` by the symbols that they mean. */
export async function resolveSymbols(options: Options, table: Action['options'], context: Context): Promise<void> {
  const spec = table?.symbol
  const { symbol } = options
  if (!spec || !('symbols' in spec) || !spec.symbols || symbol === undefined) return
  // Symbols beside a list are refused by the command, whatever they mean.
  if (options.list !== undefined) return
  const typed = Array.isArray(symbol)
    ? symbol
    : String(symbol)
        .split(',')
        .map((each) => each.trim())
  if (typed.includes('')) throw new UsageError(usageText.empty('symbol'))
  const checkCount = (count: number) => {
    if (count > 1 && spec.type !== 'list' && !spec.value.includes(',')) throw new UsageError(text.onlyOne(count))
  }
  checkCount(typed.length)
  const top = typeof options.top === 'number' ? options.top : undefined
  const needsNames = top !== undefined || typed.some((each) => !each.startsWith('perpetual-') || each.includes('*'))
  // Without a data folder nothing is cached, but the service lists its symbols.
  if (!needsNames || (spec.symbols === 'cached' && !existsSync(context.dataDir))) return
  // What reads results of SQL is slow to load, and few command lines need it.
  const { chooseSymbols } = await import('./chooseSymbols.ts')
  const core = await context.client()
  const { id: connectionId } = await findConnection(core, context.connection)
  const place = {
    ...context,
    core,
    connectionId,
    scope: spec.symbols,
    exchanges: listOf(options.exchange),
    datasets: listOf(options.dataset),
  }
  const chosen = await chooseSymbols(typed, place, top)
  checkCount(chosen.length)
  if (chosen.length === 0 && spec.type !== 'list') throw new UsageError(text.noSymbols)
  // All symbols of an empty cache are no filter.
  options.symbol = spec.type !== 'list' ? chosen.join(',') : chosen.length > 0 ? chosen : undefined
}

const listOf = (value: Options[string]): string[] =>
  Array.isArray(value) ? value : typeof value === 'string' ? [value] : []
