import { parseInterval } from '#shared/time.ts'
import type { ListedSymbol } from '#shared/contract/areas/lists.ts'
import type { LabDocument } from '#shared/contract/areas/lab.ts'
import { withTopByVolume } from '#shared/lab/readyStudies.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'

/** Source of a study's rows in the cache, as the form edits it; an incomplete document gets defaults. */
export interface CacheSource {
  exchanges: string[]
  symbols: string[] | null
  universe: { size: number; exchange: string } | null
  timestamp: string
  against: string | null
  by: { regime: { overlay: string; cuts: unknown[] } | null; groups: Record<string, string[]> | null } | null
}

const textListOf = (value: unknown): string[] | null => (Array.isArray(value) ? value.map(String) : null)

/** Reads the source of a document; null if its rows come from a file or are not chosen yet. */
export function cacheSourceOf({ study: { source } }: Pick<LabDocument, 'study'>): CacheSource | null {
  if (!isRecord(source)) return null
  const { universe, by } = source
  return {
    exchanges: textListOf(source.exchanges) ?? [],
    symbols: textListOf(source.symbols),
    universe: isRecord(universe)
      ? { size: Number(universe.size), exchange: String(universe.exchange ?? 'unconstrained') }
      : null,
    timestamp: String(source.timestamp ?? 'exchange'),
    against: typeof source.against === 'string' ? source.against : null,
    by: isRecord(by) ? { regime: regimeOf(by.regime), groups: groupsOf(by.groups) } : null,
  }
}

const regimeOf = (regime: unknown) =>
  isRecord(regime)
    ? { overlay: String(regime.overlay ?? ''), cuts: Array.isArray(regime.cuts) ? (regime.cuts as unknown[]) : [] }
    : null
const groupsOf = (groups: unknown) =>
  isRecord(groups)
    ? Object.fromEntries(Object.entries(groups).map(([name, symbols]) => [name, textListOf(symbols) ?? []]))
    : null

/** Splits a typed or pasted list of symbols; null for an empty one, which means all symbols. */
export function symbolsOf(text: string): string[] | null {
  const symbols = [...new Set(text.split(/[,\s]+/).filter(Boolean))]
  return symbols.length > 0 ? symbols : null
}

/**
 * Makes symbol groups from the lists with these names. A list yields a group for each of its own groups, and one more
 * for its symbols that have none.
 */
export function groupsOfLists(listed: readonly ListedSymbol[], names: ReadonlySet<string>): Record<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { list, exchange, symbol, group } of listed) {
    if (!names.has(list)) continue
    const key = group ? `${list}: ${group}` : list
    groups.set(key, [...(groups.get(key) ?? []), `${exchange}/${symbol}`])
  }
  return Object.fromEntries(groups)
}

/** Finds the lists from which the groups of a study were made. */
export function listsOfGroups(groups: Readonly<Record<string, unknown>> | null, names: readonly string[]): Set<string> {
  const keys = Object.keys(groups ?? {})
  return new Set(names.filter((name) => keys.some((key) => key === name || key.startsWith(`${name}: `))))
}

const SECONDS_IN_30_DAYS = 30 * 86_400
/** Returns the number of bars in 30 days, at least 1; 1 while the interval is incomplete. */
const barsIn30Days = (interval: unknown): number =>
  Math.max(1, Math.round(SECONDS_IN_30_DAYS / (parseInterval(String(interval)) ?? SECONDS_IN_30_DAYS)))

/** A formula as the form shows it, without the part that restricts it to the most traded symbols. */
interface RestrictedFormula {
  formula: string
  /** Restricts the formula to this many symbols, those with the largest volume; null for no restriction. */
  top: number | null
}

const restrictionPattern = /^\((.*)\) \/ \(cs_rank\(-sma\(ohlcv\.volume_notional, (\d+), \d+\)\) < (\d+) \* /s

export function readRestriction(text: string): RestrictedFormula {
  const [, formula = '', bars = '', top = ''] = restrictionPattern.exec(text) ?? []
  const isRestricted = bars !== '' && withTopByVolume(formula, Number(top), Number(bars)) === text
  return isRestricted ? { formula, top: Number(top) } : { formula: text, top: null }
}

export const writeRestriction = ({ formula, top }: RestrictedFormula, interval: unknown): string =>
  top === null || formula === '' ? formula : withTopByVolume(formula, top, barsIn30Days(interval))
