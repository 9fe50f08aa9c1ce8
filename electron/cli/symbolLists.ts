import type { Client } from '#shared/contract/client.ts'
import { followRenames, type ListedPair } from '#shared/contract/listsFile.ts'
import { Failure } from './failure.ts'
import type { Output } from './print.ts'
import { nearest } from './suggest.ts'
import { listOptionText as text } from './text/commands.ts'
import { chooseText } from './text/terminalTexts.ts'
import { failureText, noteText, usageText } from './text/messages.ts'
import { UsageError } from './usageError.ts'

/** Option that names a list; the command uses the list's pairs of venue and symbol in place of --symbol. */
export const listOption = { type: 'text', value: 'NAME', description: text.description } as const

/** Options that keep of the chosen symbols only those at the top. */
export const topOptions = {
  top: { type: 'integer', value: 'N', min: 1, max: 10_000, description: chooseText.top },
  by: { type: 'text', value: 'B', values: ['turnover'], description: chooseText.by },
} as const

interface ChosenPairs {
  list?: string | undefined
  exchange?: string | readonly string[] | undefined
  symbol?: string | readonly string[] | undefined
}

export function refuseListAndSymbol({ list, symbol }: ChosenPairs): void {
  if (list !== undefined && symbol !== undefined) throw new UsageError(usageText.listOrSymbol)
}

/** Names the options that a command still needs that takes either --list or --exchange and --symbol. */
export const missingPair = ({ list, exchange, symbol }: ChosenPairs): string[] =>
  list === undefined
    ? Object.entries({ exchange, symbol }).flatMap(([name, given]) => (given === undefined ? [name] : []))
    : []

/** Checks that a list exists and says on stderr which of its symbols are unknown; does nothing without a list. */
export async function checkList(core: Client, connectionId: string, { list, exchange }: ChosenPairs, out: Output) {
  if (list !== undefined) await listedPairs(core, connectionId, { list, exchange }, out)
}

/**
 * Returns the symbols of all lists. Before that, it requests the symbols of each venue on which a listed symbol is
 * unknown, because the symbols of that venue may never have been requested. If a request fails, cached data is used.
 * @param name limits the requests to venues of this list
 */
export async function listedSymbols(core: Client, connectionId: string, name?: string) {
  const all = await core.call('lists.list', { connectionId })
  const unknown = all.filter(({ list, known }) => !known && (name === undefined || list === name))
  const venues = [...new Set(unknown.map(({ exchange }) => exchange))]
  const answers = await Promise.allSettled(
    venues.map((exchange) => core.call('discovery.symbols', { connectionId, exchange })),
  )
  const hasNewSymbols = answers.some(({ status }) => status === 'fulfilled')
  return hasNewSymbols ? core.call('lists.list', { connectionId }) : all
}

/**
 * Returns the pairs of a list (if venues are given, only the pairs on these venues), and says on stderr which of them
 * are unknown. Throws a Failure if the list does not exist or has no pair on these venues.
 */
async function listedPairs(
  core: Client,
  connectionId: string,
  { list, exchange }: ChosenPairs & { list: string },
  out: Output,
): Promise<ListedPair[]> {
  const all = await listedSymbols(core, connectionId, list)
  const listed = all.filter((each) => each.list === list)
  const names = all.map((each) => each.list)
  if (listed.length === 0) throw new Failure(failureText.noSuchList(list, nearest(list, names)))
  const venues = [exchange ?? []].flat()
  const isOnVenues = (pair: ListedPair) => venues.length === 0 || venues.includes(pair.exchange)
  const unknown = listed.filter((each) => !each.known && isOnVenues(each))
  if (unknown.length > 0) out.note(noteText.unknownListed(list, unknown))
  const pairs = followRenames(listed, await core.call('instruments.list', {})).filter(isOnVenues)
  if (pairs.length === 0) throw new Failure(failureText.listWithoutVenue(list, venues))
  return pairs
}

/** Returns the pairs chosen by --list, or by --exchange and --symbol. */
export async function chosenPairs(
  core: Client,
  connectionId: string,
  { list, exchange, symbol }: ChosenPairs,
  out: Output,
): Promise<ListedPair[]> {
  if (list !== undefined) return listedPairs(core, connectionId, { list, exchange }, out)
  const symbols = [symbol ?? []].flat().flatMap((each) => each.split(','))
  return [exchange ?? []].flat().flatMap((each) => symbols.map((name) => ({ exchange: each, symbol: name })))
}

/** Returns a function that tells whether a pair is one of `pairs`. */
export function listMembership(pairs: readonly ListedPair[]): (pair: ListedPair) => boolean {
  const keys = new Set(pairs.map(({ exchange, symbol }) => JSON.stringify([exchange, symbol])))
  return ({ exchange, symbol }) => keys.has(JSON.stringify([exchange, symbol]))
}
