import type { CheckHistory, CheckRule, PastHits } from '#shared/contract/areas/inbox.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { drawnRows } from '#shared/overview/drawn.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { formulaInputs } from '#core/series/formulaInputs.ts'
import { comparedPart } from './comparedPart.ts'
import { isWide, watchedPairs } from './watchedPairs.ts'
import { rowsExtent } from '#core/series/seriesFiles.ts'
import type { SeriesService } from '#core/series/seriesService.ts'
import type { Store } from '#core/store/store.ts'

interface HistoryDeps {
  store: Store
  series: SeriesService
}

type FormulaRule = Extract<CheckRule, { kind: 'formula' }>

/** Days over which hits are counted; a chart shows the shorter range. */
const PAST_DAYS = [30, 90] as const
/** Enough for every bar of 90 days at one minute. */
const MOST_ROWS = 200_000
const CHART_POINTS = 240

export const withoutPast = (why: string): CheckHistory => ({
  past: [],
  times: new Float64Array(0),
  values: new Float64Array(0),
  why,
})

/** Tells how often a rule would have hit in the days before the last row that all of its columns have. */
export async function checkHistory(
  deps: HistoryDeps,
  rule: CheckRule,
  connectionId: string,
  signal: AbortSignal,
): Promise<CheckHistory> {
  if (rule.kind === 'sql') return withoutPast('A query is asked when it runs; what it would have found is not known.')
  try {
    if (!isWide(rule)) return await formulaHistory(deps, rule, connectionId, signal)
    const histories: CheckHistory[] = []
    for (const pair of watchedPairs(deps.store, rule, connectionId)) {
      signal.throwIfAborted()
      histories.push(await formulaHistory(deps, { ...rule, ...pair }, connectionId, signal))
    }
    return joinedHistory(histories)
  } catch (thrown) {
    if (signal.aborted) throw thrown
    const { detail, sentence } = toAppError(thrown)
    return withoutPast(detail ?? sentence)
  }
}

/** Adds up the hits of several symbols, which have no chart in common. */
function joinedHistory(histories: readonly CheckHistory[]): CheckHistory {
  const told = histories.filter(({ why }) => why === null)
  if (told.length === 0) return histories[0] ?? withoutPast('There is no symbol to watch.')
  const past = PAST_DAYS.map((days, at) => {
    const sum = (key: 'hits' | 'bars' | 'known') => told.reduce((total, each) => total + each.past[at][key], 0)
    return { days, hits: sum('hits'), bars: sum('bars'), known: sum('known') }
  })
  return { ...told[0], past, times: new Float64Array(0), values: new Float64Array(0) }
}

async function formulaHistory(
  { store, series }: HistoryDeps,
  { formula, exchange, symbol, interval, timestamp }: FormulaRule,
  connectionId: string,
  signal: AbortSignal,
): Promise<CheckHistory> {
  const inputs = formulaInputs(formula, { connectionId, exchange, symbol, interval, timestamp })
  const extents = Object.values(inputs).map((input) => rowsExtent(store, input))
  const known = extents.filter((extent) => extent !== null)
  if (known.length < extents.length) return withoutPast(`Not all of its columns are cached for ${symbol} ${interval}.`)
  const endMs = Math.min(...known.map((extent) => extent.endMs))
  const originMs = Math.min(...known.map((extent) => extent.startMs))
  const evaluate = async (text: string, days: number, points: number) => {
    const range = { startMs: endMs - days * MS_PER_DAY, endMs, originMs }
    const named = Object.entries(inputs).filter(([name]) => text.includes(name))
    return series.evaluate({ formula: text, inputs: Object.fromEntries(named), ...range, points }, signal)
  }
  const answer = await evaluate(formula, PAST_DAYS[1], MOST_ROWS)
  if (answer.problem) return withoutPast(answer.problem.message)
  const rows = drawnRows(answer.points, 'value')
  const chart = drawnRows((await evaluate(comparedPart(formula).formula, PAST_DAYS[0], CHART_POINTS)).points, 'value')
  const { valid } = chart
  return {
    past: PAST_DAYS.map((days) => pastHits(rows, days, endMs - days * MS_PER_DAY)),
    times: chart.times,
    values: valid ? chart.values.map((value, at) => (valid[at] ? value : NaN)) : chart.values,
    why: null,
  }
}

function pastHits(
  { times, values, valid }: { times: Float64Array; values: Float64Array; valid: Uint8Array | null },
  days: number,
  startMs: number,
): PastHits {
  const found = { days, hits: 0, bars: 0, known: 0 }
  let wasHit = false
  times.forEach((time, row) => {
    if (time < startMs) return
    const isKnown = (!valid || valid[row] !== 0) && !Number.isNaN(values[row])
    const isHit = isKnown && values[row] !== 0
    if (isKnown) found.known += 1
    if (isHit) found.bars += 1
    if (isHit && !wasHit) found.hits += 1
    wasHit = isHit
  })
  return found
}
