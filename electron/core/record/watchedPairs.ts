import type { CheckOutcome, CheckRule } from '#shared/contract/areas/inbox.ts'
import { EVERY } from '#shared/contract/checkNames.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import { shortSymbol } from '#shared/catalog/symbols.ts'
import { columnsInFormula, datasetAndColumn } from '#core/series/formulaInputs.ts'
import type { Store } from '#core/store/store.ts'

type FormulaRule = Extract<CheckRule, { kind: 'formula' }>

/** Tells whether a rule watches several symbols: those of a list, of a venue, or all. */
export const isWide = ({ list, symbol }: FormulaRule): boolean => list !== undefined || symbol === EVERY

/** The symbols that a rule watches: those of its list, or the cached ones that have its first column. */
export function watchedPairs(store: Store, rule: FormulaRule, connectionId: string): ListedPair[] {
  const { list, exchange, symbol, formula, interval, timestamp } = rule
  if (list !== undefined) return store.lists.pairs(list)
  if (symbol !== EVERY) return [{ exchange, symbol }]
  const datasets = new Set(columnsInFormula(formula).map((name) => datasetAndColumn(name).dataset))
  const byKey = new Map<string, ListedPair>()
  for (const { series } of store.cacheIndex.series(connectionId)) {
    const isWatched =
      datasets.has(series.dataset) &&
      series.interval === interval &&
      series.timestamp === timestamp &&
      (exchange === EVERY || series.exchange === exchange)
    if (isWatched) byKey.set(`${series.exchange}\n${series.symbol}`, series)
  }
  return [...byKey.values()].map(({ exchange: venue, symbol: name }) => ({ exchange: venue, symbol: name }))
}

/** Symbols that an outcome names. */
const MOST_NAMED = 20

/** Joins what a rule found at each of its symbols: a hit of one is a hit. */
export function joinedOutcome(outcomes: readonly (ListedPair & { outcome: CheckOutcome })[]): CheckOutcome {
  const hits = outcomes.filter(({ outcome }) => outcome.state === 'hit')
  const failed = outcomes.filter(({ outcome }) => outcome.state === 'not evaluable')
  const nothing = { value: null, time: null, rows: null, why: null }
  if (outcomes.length === 0) return { ...nothing, state: 'not evaluable', why: 'There is no symbol to watch.' }
  if (failed.length === outcomes.length) return failed[0].outcome
  const known = outcomes.length - failed.length
  const names = hits.slice(0, MOST_NAMED).map(({ exchange, symbol }) => `${shortSymbol(symbol)}@${exchange}`)
  return {
    ...nothing,
    state: hits.length > 0 ? 'hit' : 'quiet',
    time: hits.reduce<number | null>((last, { outcome }) => Math.max(last ?? 0, outcome.time ?? 0), null),
    found: { hits: hits.length, symbols: known, names },
  }
}
