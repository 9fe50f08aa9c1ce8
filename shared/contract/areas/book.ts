import type { Attribution } from '../../portfolio/book/attribution.ts'
import type { OrderRule } from '../../portfolio/book/orderRules.ts'
import { correlationOrders, type SeriesCorrelations, type SeriesPair } from '../../portfolio/book/seriesCorrelations.ts'
import { type PlanRow, planModes, type PlanTotals } from '../../portfolio/book/plan.ts'
import * as z from '../../schemas/lazySchemas.ts'
import { parseDay } from '../../time.ts'
import { bookTexts as texts } from '../fieldTexts.ts'
import { call } from '../spec.ts'
import { connectionId } from './discovery.ts'
import { MOST_LIST_CHARACTERS } from './lists.ts'

/** Warnings of a plan, in the order in which it lists them. */
export const planWarnings = ['old-weights', 'stale-weights', 'overlay-inside', 'other-day'] as const

/** A list of trades. Nothing is ever sent: a person executes it elsewhere. */
export interface Plan {
  version: 1
  /** When the weights were made: an instant for live weights, a day for others; null for those of a file. */
  asOf: string | null
  /** Day of the prices; null for those of a file. */
  pricesAsOf: string | null
  capital: number
  /** Symbols with a target or a position, the largest trade first. */
  rows: PlanRow[]
  totals: PlanTotals
  warnings: { code: (typeof planWarnings)[number]; message: string }[]
}

/** A file of the user's own. */
export interface OwnFile {
  name: string
  kind: 'returns' | 'weights' | 'prices'
  /** When it was added, in milliseconds since the epoch. */
  added: number
}

const day = z.string().refine((value) => parseDay(value) !== null, 'must be a day, YYYY-MM-DD')
const days = { start: day.optional().describe(texts.start), end: day.optional().describe(texts.end) }
const seriesName = z.string().trim().min(1).max(300)
const ownName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^[^,]*$/, 'must not contain a comma, because lists of series are separated by commas')

const csv = z.strictObject({
  file: z.string().min(1).max(4096),
  text: z.string().max(MOST_LIST_CHARACTERS),
})
const optionalCsv = csv.nullable().default(null)

const ruleNumber = z.number().positive().nullable().default(null)

/** What a plan is computed from. */
export const planFields = {
  weights: z.union([z.string().min(1).max(300), csv]).describe(texts.weights),
  capital: z.number().positive().describe(texts.capital),
  positions: optionalCsv.describe(texts.positions),
  aliases: optionalCsv.describe(texts.aliases),
  prices: optionalCsv.describe(texts.prices),
  lots: optionalCsv.describe(texts.lots),
  band: z.number().min(0).default(0).describe(texts.band),
  mode: z.enum(planModes).default('centre').describe(texts.mode),
  minOrder: z.number().min(0).default(0).describe(texts.minOrder),
  cap: z.number().positive().nullable().default(null).describe(texts.cap),
  costBps: z.number().min(0).max(10_000).nullable().default(null).describe(texts.costBps),
}

export const bookCalls = {
  'book.plan': call(
    z.strictObject({
      connectionId,
      ...planFields,
    }),
    {
      label: 'Plan trades',
      help: 'Computes the trades from target weights and positions, with the reason for each that is left out. Sends nothing anywhere.',
      route: 'POST /v1/plan',
      example: { weights: 'live:momentum_ls.20', capital: 250_000, band: 0.02 },
      tool: 'plan_trades',
      reachesOut: true,
      source: 'portfolio service and files of the user',
      knownAt: 'as asOf and pricesAsOf say',
    },
  )<Plan>(),
  'book.correlations': call(
    z.strictObject({
      connectionId,
      series: z.array(seriesName).min(2).max(200).describe(texts.series),
      ...days,
      minDays: z.int().min(2).max(100_000).default(60).describe(texts.minDays),
      common: z.boolean().default(false).describe(texts.common),
      order: z.enum(correlationOrders).default('given').describe(texts.order),
    }),
    {
      label: 'Correlations of series',
      help: 'Computes the correlations of daily series: portfolios, tests, blends, own returns and prices.',
      route: 'POST /v1/correlations',
      example: { series: ['portfolio:momentum_ls.20', 'price:BTC'], minDays: 60 },
      tool: 'correlations',
      reachesOut: true,
      source: 'portfolio service and files of the user',
    },
  )<SeriesCorrelations>(),
  'book.attribution': call(
    z.strictObject({
      connectionId,
      series: seriesName.describe(texts.subject),
      on: z.array(seriesName).min(1).max(20).describe(texts.on),
      ...days,
      lags: z.int().min(0).max(100_000).nullable().default(null).describe(texts.lags),
      rolling: z.int().min(4).max(100_000).nullable().default(null).describe(texts.rolling),
    }),
    {
      label: 'Attribution of returns',
      help: 'Explains the daily returns of a series by other series: betas, contributions that add up, and what is left.',
      route: 'POST /v1/attribution',
      example: { series: 'portfolio:momentum_ls.20', on: ['price:BTC'] },
      tool: 'attribution',
      reachesOut: true,
      source: 'portfolio service and files of the user',
    },
  )<Attribution>(),
  /** Two series beside each other, with their rolling correlation. */
  'book.pair': call(
    z.strictObject({
      connectionId,
      one: seriesName,
      other: seriesName,
      ...days,
      window: z.int().min(3).max(100_000).default(90),
    }),
  )<SeriesPair>(),
  /** Lists what was typed of the orders of symbols, by symbol. */
  'book.orderRules': call(z.strictObject({}), {
    label: 'Typed order rules',
    help: 'Lists the lots, least orders and multipliers of symbols that plans go by, as typed in Settings → Instruments.',
    route: 'GET /v1/order-rules',
    example: {},
    source: 'the user',
  })<OrderRule[]>(),
  /** Saves what is typed of the orders of a symbol, in place of what was; nothing but the symbol removes it. */
  'book.setOrderRule': call(
    z.strictObject({
      symbol: z.string().trim().min(1).max(300),
      ticker: z.string().trim().min(1).max(300).nullable().default(null).describe(texts.ruleTicker),
      multiplier: ruleNumber.describe(texts.multiplier),
      lot: ruleNumber.describe(texts.lot),
      minUnits: ruleNumber.describe(texts.minUnits),
      minOrder: ruleNumber.describe(texts.minOrderOfSymbol),
    }),
  )<null>(),
  /** Lists the user's own returns, weights and prices. */
  'book.ownFiles': call(z.strictObject({}))<OwnFile[]>(),
  /** Keeps a copy of a file under a name; a file of that name is replaced. */
  'book.addOwn': call(
    z.strictObject({
      name: ownName,
      file: csv,
      unit: z.enum(['percent', 'fraction']).nullable().default(null),
    }),
  )<Omit<OwnFile, 'added'>>(),
  'book.removeOwn': call(z.strictObject({ name: z.string().min(1).max(300) }))<null>(),
  /** Keeps the weights by day of a blend or a test as own weights. */
  'book.saveWeights': call(z.strictObject({ from: z.string().regex(/^(?:blend|test):./), name: ownName }))<
    Omit<OwnFile, 'added'>
  >(),
}
