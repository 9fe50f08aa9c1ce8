import type { Plan, planWarnings } from '#shared/contract/areas/book.ts'
import type { ParsedInput } from '#shared/contract/calls.ts'
import { AppError } from '#shared/contract/errors.ts'
import { BookError } from '#shared/portfolio/book/bookError.ts'
import { readAliases, readLots, readPositions, readPrices, readWeights } from '#shared/portfolio/book/bookFiles.ts'
import { type OrderRule, rulesOf, withOrderRules } from '#shared/portfolio/book/orderRules.ts'
import { planTrades, type Target, tickersOfPlan } from '#shared/portfolio/book/plan.ts'
import { parseWeightName, weightKinds } from '#shared/portfolio/book/seriesName.ts'
import type { TickerTable } from '#shared/lab/kinds/blend/blendWeights.ts'
import type { HistoryMatrix } from '#shared/portfolio/dailySeries.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import type { Portfolio } from '#core/portfolio/portfolio.ts'
import { blendTable, type KeptRuns } from './keptWeights.ts'
import { isUnknown, type ServedTables } from './servedTables.ts'

type PlanQuery = Omit<ParsedInput<'book.plan'>, 'connectionId'>
type WarningCode = (typeof planWarnings)[number]

interface PlanDeps {
  portfolio: () => Portfolio
  served: ServedTables
  runs: KeptRuns
  /** What was typed of the orders of symbols. */
  rules(): OrderRule[]
  /** Half the last spread of a ticker in basis points, as far as it is cached; null if it is not. */
  halfSpreads(tickers: readonly string[]): Promise<ReadonlyMap<string, number>>
  nowMs: number
  signal: AbortSignal
}

/** What a plan is made of besides the user's files: from the same facts follows the same plan. */
export interface PlanFacts {
  weights: { targets: Target[]; asOf: string | null }
  /** Null if the user gave prices. */
  prices: { day: string | null; byTicker: [ticker: string, price: number][] } | null
  /** Half the last cached spreads in basis points; null if the user gave a cost. */
  spreads: [ticker: string, bps: number][] | null
  /** Typed rules of the plan's symbols. */
  rules?: OrderRule[]
  warnings: WarningCode[]
}

/** Target weights with their age. */
interface GivenWeights {
  targets: Target[]
  asOf: string | null
  /** Day of the last row; null for live weights and a file. */
  day: DayNumber | null
  warnings: WarningCode[]
}

const HOUR_MS = 3_600_000

const sentences: Record<WarningCode, string> = {
  'old-weights': 'The live weights are more than an hour old.',
  'stale-weights': 'The last row of the weights is dated before yesterday.',
  'overlay-inside': 'The weights are already scaled by an overlay; do not scale them again.',
  'other-day': 'The prices are of another day than the weights.',
}

export const plan = async (query: PlanQuery, deps: PlanDeps): Promise<Plan> =>
  planOf(query, await planFacts(query, deps))

/** Asks for everything that a plan needs besides the user's files. */
export async function planFacts(query: PlanQuery, deps: PlanDeps): Promise<PlanFacts> {
  const weights = await weightsOf(query.weights, deps)
  const rules = rulesOfPlan(query, weights.targets, deps.rules())
  const tickers = tickersOfPlan(holdingsOf(query, weights.targets, rules))
  const prices = query.prices ? null : await servedPrices(tickers, deps.served)
  const spreads = query.costBps === null ? await deps.halfSpreads(tickers) : null
  return {
    weights: { targets: weights.targets, asOf: weights.asOf },
    prices: prices && { ...prices, day: prices.day === null ? null : dayFromNumber(prices.day) },
    spreads: spreads && [...spreads],
    ...(rules.length > 0 && { rules }),
    warnings: [...weights.warnings, ...(prices ? otherDay(weights, prices.day, deps.nowMs) : [])],
  }
}

export function planOf(query: PlanQuery, { weights, prices, spreads, warnings, rules = [] }: PlanFacts): Plan {
  const { capital, band, mode, minOrder, costBps } = query
  const priceByTicker = query.prices
    ? new Map(readPrices(query.prices).map(({ ticker, price }) => [ticker, price]))
    : new Map(prices?.byTicker)
  const spreadByTicker = new Map(spreads)
  return {
    version: 1,
    asOf: weights.asOf,
    pricesAsOf: prices?.day ?? null,
    capital,
    ...planTrades({
      ...holdingsOf(query, weights.targets, rules),
      priceOf: (ticker) => priceByTicker.get(ticker),
      costBpsOf: (_symbol, ticker) => costBps ?? spreadByTicker.get(ticker) ?? null,
      ...{ capital, band, mode, minOrder },
    }),
    warnings: warnings.map((code) => ({ code, message: sentences[code] })),
  }
}

/** Targets and positions, with the names of their files for messages. */
const holdingsOf = (
  { weights, positions, aliases, lots, cap }: PlanQuery,
  targets: readonly Target[],
  rules: readonly OrderRule[],
) => ({
  targets,
  positions: positions ? readPositions(positions) : [],
  ...withOrderRules({ aliases: aliases ? readAliases(aliases) : [], lots: lots ? readLots(lots) : [] }, rules),
  cap,
  files: { weights: typeof weights === 'string' ? null : weights.file, aliases: aliases?.file ?? null },
})

/** Leaves the typed rules that the plan's tickers and positions meet, which its report keeps. */
function rulesOfPlan(query: PlanQuery, targets: readonly Target[], rules: readonly OrderRule[]): OrderRule[] {
  const { positions, aliases } = holdingsOf(query, targets, [])
  const symbols = [...positions, ...aliases].map(({ symbol }) => symbol)
  return rulesOf(rules, new Set([...targets.map(({ ticker }) => ticker), ...symbols]))
}

const yesterdayOf = (nowMs: number): DayNumber => Math.floor(nowMs / MS_PER_DAY) - 1

function otherDay({ day }: GivenWeights, priceDay: DayNumber | null, nowMs: number): WarningCode[] {
  return priceDay === null || priceDay === (day ?? yesterdayOf(nowMs)) ? [] : ['other-day']
}

async function weightsOf(weights: PlanQuery['weights'], deps: PlanDeps): Promise<GivenWeights> {
  if (typeof weights !== 'string') return { targets: readWeights(weights), asOf: null, day: null, warnings: [] }
  const name = parseWeightName(weights)
  if (!name)
    throw new AppError('bad-input', `${weights} names no weights: it begins with ${weightKinds.join(':, ')}:.`, {
      field: 'weights',
    })
  const { kind, id } = name
  if (kind === 'live' || kind === 'close') return servedWeights(kind, id, weights, deps)
  if (kind === 'blend') {
    const result = deps.runs.blend(id)
    return lastRow(blendTable(result), weights, result.study.overlay !== null, deps.nowMs)
  }
  const { study } = deps.runs.test(id)
  return lastRow(deps.runs.testWeights(id), weights, (study.source?.exposureBy ?? null) !== null, deps.nowMs)
}

async function servedWeights(
  kind: 'live' | 'close',
  portfolio: string,
  name: string,
  { portfolio: open, nowMs, signal }: PlanDeps,
): Promise<GivenWeights> {
  const asOf = kind === 'live' ? 'latest' : 'close'
  const answer = await open()
    .live({ endpoint: 'weights', portfolio, asOf }, false, signal)
    .catch((thrown: unknown) => {
      if (!isUnknown(thrown)) throw thrown
      throw new AppError('not-found', `${name}: the service has no such weights.`, {
        ...(thrown.service && { service: thrown.service }),
      })
    })
  const { day, createdAtMs, columns, values } = answer.value
  const targets = columns.flatMap((ticker, at) => (Number.isNaN(values[at]) ? [] : [{ ticker, weight: values[at] }]))
  if (kind === 'close') return { targets, asOf: dayFromNumber(day), day, warnings: staleWarning(day, nowMs) }
  return {
    targets,
    asOf: createdAtMs === null ? dayFromNumber(day) : new Date(createdAtMs).toISOString(),
    day: null,
    warnings: (createdAtMs ?? day * MS_PER_DAY) < nowMs - HOUR_MS ? ['old-weights'] : [],
  }
}

const staleWarning = (day: DayNumber, nowMs: number): WarningCode[] =>
  day < yesterdayOf(nowMs) ? ['stale-weights'] : []

function lastRow({ days, tickers, values }: TickerTable, name: string, isScaled: boolean, nowMs: number): GivenWeights {
  const row = days.length - 1
  if (row < 0) throw new BookError(`${name} has no weights.`)
  const day = days[row]
  const targets = tickers.flatMap((ticker, at) => {
    const weight = values[row * tickers.length + at]
    return Number.isNaN(weight) ? [] : [{ ticker, weight }]
  })
  const warnings: WarningCode[] = [...staleWarning(day, nowMs), ...(isScaled ? (['overlay-inside'] as const) : [])]
  return { targets, asOf: dayFromNumber(day), day, warnings }
}

interface ServedPrices {
  /** Null if no ticker has a price. */
  day: DayNumber | null
  byTicker: [ticker: string, price: number][]
}

/** The prices of one day: the last on which any of the tickers has one. */
async function servedPrices(tickers: readonly string[], served: ServedTables): Promise<ServedPrices> {
  if (tickers.length === 0) return { day: null, byTicker: [] }
  const matrix = await served.prices(tickers)
  const row = lastRowWithValue(matrix)
  if (row < 0) return { day: null, byTicker: [] }
  const { days, columns, values } = matrix
  return {
    day: days[row],
    byTicker: columns.flatMap((ticker, at) => {
      const price = values[row * columns.length + at]
      return Number.isNaN(price) ? [] : [[ticker, price]]
    }),
  }
}

function lastRowWithValue({ days, columns, values }: HistoryMatrix): number {
  for (let row = days.length - 1; row >= 0; row--)
    for (let at = 0; at < columns.length; at++) if (!Number.isNaN(values[row * columns.length + at])) return row
  return -1
}
