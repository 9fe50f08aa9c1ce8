import { documentSchema } from '../lab/describeFields.ts'
import * as z from '../schemas/lazySchemas.ts'
import { timestampSources } from '../catalog/intervals.ts'
import { calls } from './calls.ts'
import { selectionTexts, seriesTexts as texts } from './fieldTexts.ts'
import type { CallName } from './names.ts'
import type { CallSpec, OperationFacts } from './spec.ts'

/**
 * The operations that other programs and assistants may use, each described once. Those whose input is that of a call
 * stand with the call (`areas/`); those of this file take what a person would write: days in place of milliseconds, a
 * formula in place of its inputs.
 */
export interface Operation extends OperationFacts {
  input: z.ZodObject
  /** A table comes page by page, with its sources; figures come with theirs; `json` is anything else. */
  gives: 'table' | 'figures' | 'json'
  /** True for a table that the local API gives as an Arrow stream only. */
  isArrowOnly?: true
}

const operation = <const Spec extends Operation>(spec: Spec): Spec => spec

const name = z.string().min(1).max(300)
const dayOrInstant = z.union([z.iso.date(), z.iso.datetime({ offset: true })], {
  error: 'is neither a day, such as 2026-08-01, nor an instant with its zone, such as 2026-08-01T12:00:00Z',
})

const placeAndRange = {
  exchange: name,
  symbol: name,
  interval: z.string().min(1).max(20),
  timestamp: z.enum(timestampSources).default('exchange').describe(texts.timestamp),
  start: dayOrInstant.describe(texts.start),
  end: dayOrInstant.describe(texts.end),
}
const seriesFields = { dataset: name, ...placeAndRange }

const formula = z.strictObject({
  formula: z.string().min(1).max(10_000).describe('Names are dataset.column, such as funding.funding_rate.'),
  ...placeAndRange,
})

const MOST_ROWS = 1_000_000
/** Number of trades that a chart is given at once. */
const MOST_TRADES = 20_000_000

const examplePlace = { exchange: 'venuea-futures', symbol: 'perpetual-BTC-USDT:USDT' }
const exampleRange = { start: '2026-08-01', end: '2026-08-07' }
const exampleSeries = { ...examplePlace, interval: '1h', ...exampleRange }

const downloadChoice = z.strictObject({
  datasets: z.array(z.string().min(1).max(100)).min(1).max(30),
  exchanges: z.array(z.string().min(1).max(100)).min(1).max(30),
  symbols: z.array(name).min(1).max(200),
  intervals: z.array(z.string().min(1).max(20)).min(1).max(10),
  timestamps: z.array(z.enum(timestampSources)).min(1).default(['exchange']),
  start: z.iso.date(),
  end: z.iso.date().describe(selectionTexts.end),
})

const ofCacheAndService = 'index of the cache and list of the service'
const ofThisMachine = { source: 'computed here', knownAt: 'as the study says' }

export const ownOperations = {
  searchDictionary: operation({
    label: 'Search the dictionary',
    help: 'Finds tables and columns, with types, units and descriptions. Begin here.',
    input: z.strictObject({ text: z.string().max(200).describe('Such as “funding rate”; empty for all tables.') }),
    gives: 'json',
    tool: 'search_dictionary',
    source: 'documents of the service that come with Perpscope',
  }),
  coverage: operation({
    label: 'Cached series',
    help: 'Lists the series in the cache of this machine.',
    input: z.strictObject({
      kind: z.enum(['metrics', 'raw']).optional(),
      dataset: name.optional(),
      exchange: name.optional(),
      symbol: name.optional(),
      interval: z.string().max(20).optional(),
      timestamp: z.string().max(20).optional(),
    }),
    gives: 'json',
    route: 'GET /v1/coverage',
    example: { kind: 'metrics', dataset: 'ohlcv' },
    tool: 'coverage',
    source: 'index of the cache',
  }),
  sql: operation({
    label: 'Run a query',
    help: 'Runs one SELECT (DuckDB) over the cache; the dictionary names the tables.',
    input: z.strictObject({
      sql: z.string().min(1).max(500_000).describe('One SELECT over the tables of the dictionary.'),
      parameters: z
        .record(z.string().regex(/^(?:[\p{L}_][\p{L}\p{N}_]{0,99}|\d{1,4})$/u), z.string().max(10_000))
        .default({})
        .describe('Values of the parameters ($name), as text.'),
      limit: z.int().min(0).max(MOST_ROWS).default(100_000),
    }),
    gives: 'table',
    route: 'POST /v1/sql',
    example: {
      sql: 'SELECT time, close FROM metrics.ohlcv WHERE symbol = $symbol ORDER BY time LIMIT 10',
      parameters: { symbol: examplePlace.symbol },
    },
    tool: 'sql',
  }),
  series: operation({
    label: 'Rows of a series',
    help: 'Reads rows of one series of metrics from the cache.',
    input: z.strictObject({
      ...seriesFields,
      columns: z.array(name).max(100).optional().describe(texts.columns),
      limit: z
        .int()
        .min(1)
        .max(MOST_ROWS)
        .default(100_000)
        .describe('Maximum number of rows; provenance.next says where to continue.'),
    }),
    gives: 'table',
    route: 'GET /v1/series',
    example: { dataset: 'ohlcv', ...exampleSeries, columns: ['close', 'volume'] },
    tool: 'read_series',
  }),
  trades: operation({
    label: 'Trades for order-flow charts',
    help: 'Reads cached trades as an Arrow stream with ts (milliseconds since 1970 in UTC), price, qty (in the units of the venue) and is_sell (null where the taker is unknown), in order of time.',
    input: z.strictObject({
      exchange: name,
      symbol: name,
      timestamp: z.enum(timestampSources).default('exchange').describe(texts.timestamp),
      start: dayOrInstant.describe(texts.start),
      end: dayOrInstant.describe(texts.end),
      limit: z.int().min(1).max(MOST_TRADES).default(MOST_TRADES).describe('Maximum number of trades, the first ones.'),
    }),
    gives: 'table',
    isArrowOnly: true,
    route: 'GET /v1/trades.arrow',
    example: { ...examplePlace, ...exampleRange },
  }),
  formula: operation({
    label: 'Evaluate a formula',
    help: 'Evaluates a formula over columns of one symbol, such as zscore(funding.funding_rate, 90).',
    input: formula,
    gives: 'table',
    route: 'POST /v1/formula',
    example: { formula: 'zscore(funding.funding_rate, 90)', ...exampleSeries },
    tool: 'formula',
  }),
  summary: operation({
    label: 'Statistics of a formula',
    help: 'Computes counts, extremes, mean, standard deviation, quantiles and autocorrelation of a formula over a range.',
    input: formula,
    gives: 'figures',
    tool: 'summary',
  }),
  chart: operation({
    label: 'Chart of a formula',
    help: 'Draws a formula over a range as a picture (SVG file), with the values behind the line.',
    input: formula,
    gives: 'figures',
    tool: 'chart',
  }),
  provenance: operation({
    label: 'Files behind a series',
    help: 'Names the files behind a range of a series: SHA-256, state, when each was fetched, what is missing.',
    input: z.strictObject(seriesFields),
    gives: 'figures',
    tool: 'provenance',
  }),
  runStudy: operation({
    label: 'Run a study',
    help: 'Runs a study or a tested portfolio on cached data, given as its document. Every run is a trial in the ledger and counts against later results.',
    input: z.strictObject({
      document: z.record(z.string(), z.unknown()).meta(documentSchema()),
      confirmed: z.boolean().optional().meta({ description: 'The user has said yes, which a screen needs.' }),
    }),
    gives: 'json',
    route: 'POST /v1/studies',
    example: {
      document: {
        ...{ version: 1, kind: 'signal', interval: '1h', ...exampleRange, horizons: [1, 24] },
        source: { exchanges: [examplePlace.exchange], timestamp: 'exchange' },
        signal: '-sma(funding.funding_rate, 24)',
      },
    },
    body: 'document',
    tool: 'run_study',
    changes: true,
    ...ofThisMachine,
  }),
  studies: operation({
    label: 'Studies that were run',
    help: 'Lists the studies that were run.',
    input: z.strictObject({}),
    gives: 'json',
    route: 'GET /v1/studies',
  }),
  study: operation({
    label: 'A study and its result',
    help: 'Shows the document of a study and its last result.',
    input: z.strictObject({ id: z.string().min(1).max(100) }),
    gives: 'json',
    route: 'GET /v1/studies/{id}',
    example: { id: '3f2a9c01b7de' },
  }),
  findStudies: operation({
    label: 'Studies that were run',
    help: 'Lists the studies that were run; with an id, shows the document and the last result of one.',
    input: z.strictObject({ id: z.string().min(1).max(100).optional() }),
    gives: 'json',
    tool: 'studies',
    ...ofThisMachine,
  }),
  planDownload: operation({
    label: 'Plan a download',
    help: 'Says which files a download would fetch and how large they are. Downloads nothing.',
    input: downloadChoice,
    gives: 'json',
    tool: 'plan_download',
    reachesOut: true,
    source: ofCacheAndService,
  }),
  download: operation({
    label: 'Download',
    help: 'Adds the files of a plan to the download queue. Needs the user’s consent.',
    input: downloadChoice,
    gives: 'json',
    tool: 'download',
    changes: true,
    reachesOut: true,
    source: ofCacheAndService,
  }),
}

type OwnOperations = typeof ownOperations
type OwnOperationName = keyof OwnOperations
export type OperationInput<Name extends OwnOperationName> = z.output<OwnOperations[Name]['input']>
/** Own operations that the local API offers. */
export type RoutedOperation = {
  [Name in OwnOperationName]: OwnOperations[Name] extends { route: string } ? Name : never
}[OwnOperationName]
/** Own operations of which only assistants have a tool. */
export type ToolOperation = Exclude<OwnOperationName, RoutedOperation>
/** Describes a call as an operation: its answer is JSON, and whoever offers it chooses the connection. */
export function operationOf({ input, operation: facts }: CallSpec<z.ZodType, unknown>): Operation | null {
  if (!facts) return null
  const { connectionId: _chosen, ...fields } = (input as z.ZodObject).shape
  return { ...facts, input: z.strictObject(fields), gives: 'json' }
}

/** The calls that are operations as they are, by name. */
export const callOperations = (): [name: CallName, operation: Operation][] =>
  Object.entries<CallSpec<z.ZodType, unknown>>(calls).flatMap(([each, spec]) => {
    const found = operationOf(spec)
    return found ? [[each as CallName, found] as [CallName, Operation]] : []
  })
