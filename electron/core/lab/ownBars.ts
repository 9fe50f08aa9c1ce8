import { ownKey, type PlannedOwn } from '#core/own/ownPlan.ts'
import { readOwners } from '#core/own/storedRows.ts'
import type { Store } from '#core/store/store.ts'
import { parseSymbol } from '#shared/catalog/symbols.ts'
import { knownDelayUs, ownDatasetId, ownerOf, SINCE_COLUMN } from '#shared/formula/ownData.ts'
import { NoRowsError } from '#shared/lab/panel.ts'
import type { StudySource } from '#shared/lab/kinds/sourceFields.ts'
import type { TimeRange } from '#shared/time/ranges.ts'

interface Instrument {
  exchange: string
  symbol: string
}

/** Own datasets that give a study its times, beside the instruments that they give it. */
export interface OwnBars {
  planned: readonly PlannedOwn[]
  instruments: readonly Instrument[]
}

/** Datasets that name instruments; if there are none, those that name bases; if there are none either, all of them. */
function leadingOf(own: readonly PlannedOwn[]): readonly PlannedOwn[] {
  const naming = (isNamed: (symbol: string | null) => boolean) =>
    own.filter(({ owners }) => owners.some(({ symbol }) => isNamed(symbol)))
  const ranks = [naming((symbol) => symbol?.includes(':') === true), naming((symbol) => symbol !== null), own]
  return ranks.find((datasets) => datasets.length > 0) ?? own
}

/**
 * Lists the instruments of a study that names no dataset of a service: those that own datasets name, or, where their
 * rows stand beside every instrument, those that the study names. Throws if there are none.
 */
export function ownInstruments(
  { ownData }: Pick<Store, 'ownData'>,
  own: readonly PlannedOwn[],
  { exchanges, symbols }: StudySource,
): Instrument[] {
  const owners = leadingOf(own).flatMap((planned) => planned.owners)
  const known = ownData.knownInstruments()
  const byName = new Map<string, Instrument>()
  for (const exchange of exchanges) {
    const onVenue = new Set([
      ...known.filter((instrument) => instrument.exchange === exchange).map(({ symbol }) => symbol),
      ...owners.flatMap(({ symbol }) => (symbol?.includes(':') ? [symbol] : [])),
      ...(symbols ?? []),
    ])
    const bases = new Set(owners.map(({ symbol }) => symbol))
    const isGlobal = bases.has(null)
    for (const symbol of symbols ?? onVenue) {
      const base = parseSymbol(symbol)?.base ?? ''
      const mayMatch = bases.has(symbol) || bases.has(base) || (isGlobal && symbols !== null)
      const instrument = { exchange, symbol }
      if (mayMatch && ownerOf(owners, instrument) >= 0) byName.set(`${exchange}/${symbol}`, instrument)
    }
  }
  if (byName.size === 0) throw noInstruments(own, { exchanges, symbols })
  return [...byName.values()]
}

function noInstruments(own: readonly PlannedOwn[], { exchanges }: Pick<StudySource, 'exchanges' | 'symbols'>) {
  const leading = leadingOf(own)
  const names = leading.map(({ name }) => ownDatasetId(name)).join(', ')
  if (leading.every(({ owners }) => owners.every(({ symbol }) => symbol === null)))
    return new NoRowsError(
      `${names} stands beside every instrument and names none: name source.symbols, or a column that has symbols, such as ohlcv.close.`,
    )
  const written = [...new Set(leading.flatMap(({ owners }) => owners.flatMap(({ symbol }) => symbol ?? [])))]
  return new NoRowsError(
    `${names} has no rows of the instruments of the study on ${exchanges.join(', ')}; its symbols are ${written.slice(0, 5).join(', ')}${written.length > 5 ? ' and more' : ''}.`,
  )
}

/** Plans the bars of own datasets: from the one in which their first row is known to that of the last one. */
export function planOwnBars(
  { ownData }: Pick<Store, 'ownData'>,
  own: readonly PlannedOwn[],
  instruments: readonly Instrument[],
  { startMs, endMs, intervalMs }: TimeRange & { intervalMs: number },
) {
  const planned = leadingOf(own)
  let [first, last] = [Infinity, -Infinity]
  for (const each of planned) {
    const { firstTimeUs, lastTimeUs } = ownData.read(each.name).record
    if (firstTimeUs === null || lastTimeUs === null) continue
    const bars = barsOf(firstTimeUs, lastTimeUs, each, intervalMs)
    first = Math.min(first, bars.first)
    last = Math.max(last, bars.last)
  }
  first = Math.max(first, Math.ceil(startMs / intervalMs))
  last = Math.min(last, Math.ceil(endMs / intervalMs) - 1)
  const names = planned.map(({ name }) => ownDatasetId(name)).join(', ')
  if (!(last >= first)) throw new NoRowsError(`No row of ${names} becomes known in the range of the study.`)
  return {
    dataset: names,
    columns: [],
    intervalMs,
    firstSlot: first,
    rows: last - first + 1,
    files: instruments.map(() => []),
    key: JSON.stringify([planned.map(ownKey), instruments, intervalMs, first, last]),
    newestFetchMs: 0,
    own: { planned, instruments },
  }
}

/** Returns the first and the last bar in which something becomes known. */
function barsOf(firstUs: number, lastUs: number, planned: PlannedOwn, intervalMs: number) {
  const [firstKnown, lastKnown] = [firstUs, lastUs].map((us) => (us + knownDelayUs(planned)) / (intervalMs * 1000))
  return {
    first: Math.ceil(firstKnown) - 1,
    last: planned.intervalMs === null ? Math.floor(lastKnown) : Math.ceil(lastKnown) - 1,
  }
}

/** Marks the bars that instruments have: each from its first known row to its last one. */
export function markOwnBars(
  { planned, instruments }: OwnBars,
  { firstSlot, rows, intervalMs }: { firstSlot: number; rows: number; intervalMs: number },
  hasRow: Uint8Array,
): void {
  for (const each of planned) {
    const ownerBySymbol = instruments.map((instrument) => ownerOf(each.owners, instrument))
    const read = readOwners(each.parts, new Set(ownerBySymbol.filter((owner) => owner >= 0)), SINCE_COLUMN)
    ownerBySymbol.forEach((owner, symbol) => {
      const timesUs = read.get(owner)?.timesUs
      if (!timesUs || timesUs.length === 0) return
      const { first, last } = barsOf(timesUs[0], timesUs[timesUs.length - 1], each, intervalMs)
      const [from, to] = [Math.max(0, first - firstSlot), Math.min(rows, last + 1 - firstSlot)]
      if (to > from) hasRow.fill(1, symbol * rows + from, symbol * rows + to)
    })
  }
}
