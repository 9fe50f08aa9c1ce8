import type { Venues } from './venues.ts'

/** Describes the portfolio service as data: its endpoints, their parameters, and the shape of each answer. */

/** Smoothing in days; without it the portfolio's own smoothing applies. */
export const smoothings = ['0', '5', '10', '15', '20', '30'] as const
export type Smoothing = (typeof smoothings)[number]

/** Stands for any venue where a call may be limited to one. */
export const UNCONSTRAINED = 'unconstrained'

/** Lists what calls may be limited to: nothing, or a venue by the name that only the portfolio service uses. */
export const portfolioExchangesOf = ({ list }: Venues): string[] => [
  UNCONSTRAINED,
  ...list.flatMap(({ short }) => short ?? []),
]

/**
 * Points in time of live values: `close` is the end of the previous trading day, `latest` the newest intraday snapshot.
 */
export const asOfValues = ['close', 'latest'] as const
export type AsOf = (typeof asOfValues)[number]

/** Kinds of identifiers. Earlier values of a kind are suggested when the user types one. */
export const idKinds = ['portfolio', 'factor', 'overlay', 'regime', 'ticker', 'tickersOf'] as const
export type IdKind = (typeof idKinds)[number]

interface ParameterSpec {
  description: string
  /** Name of the parameter in the service's URLs, if it differs. */
  query?: string
  /** Complete list of allowed values. */
  values?: readonly string[]
  /** Pattern of the allowed values, if they are not listed; without either, the parameter is free text. */
  pattern?: RegExp
  /** Value sent if none is given, so that answers never depend on the service's defaults. */
  byDefault?: string
  /** True for a list, which is comma-separated in the request. */
  many?: true
}

export const portfolioParameters = {
  portfolio: { description: 'A portfolio template, often with its universe size after a dot.' },
  id: { description: 'A factor, usually without a universe size.' },
  tickers: { description: 'The tickers.', many: true },
  ticker: { description: 'One ticker or several.', many: true },
  smoothing: {
    description: 'Days of smoothing; if omitted, the portfolio’s own smoothing applies.',
    values: smoothings,
  },
  exchange: {
    description: 'Limits the answer to the tickers of one venue.',
    byDefault: UNCONSTRAINED,
  },
  asOf: {
    description: 'The end of the previous day (close, the default) or the newest intraday snapshot (latest).',
    query: 'as_of',
    values: asOfValues,
    byDefault: 'close',
  },
  universeSize: {
    description: 'A size such as 20, 30 or 40, or full for all tickers (not for multi-factor portfolios).',
    query: 'universe_size',
    pattern: /^(full|[1-9]\d{0,4})$/,
  },
  size: {
    description: 'The size of the universe; the service may not have full, all tickers, by day.',
    values: ['20', '30', '40', 'full'],
  },
  overlay: { description: 'A risk overlay or a risk regime.' },
} as const satisfies Record<string, ParameterSpec>

export type PortfolioParameter = keyof typeof portfolioParameters
export const parameterSpec = (name: PortfolioParameter): ParameterSpec => portfolioParameters[name]

export interface EndpointSpec {
  summary: string
  path: string
  /**
   * `matrix` has a column per ticker, `series` one column, and `prices` either, depending on the number of requested
   * tickers.
   */
  answer: 'matrix' | 'series' | 'prices' | 'snapshot' | 'point' | 'tickers'
  required: readonly PortfolioParameter[]
  optional: readonly PortfolioParameter[]
  /** Parameters whose values are suggested again later, with the kind of identifier in each. */
  remembers: Partial<Record<PortfolioParameter, IdKind>>
}

const portfolioRequirement = { required: ['portfolio'], remembers: { portfolio: 'portfolio' } } as const
const factorRequirement = { required: ['id', 'tickers'], remembers: { id: 'factor', tickers: 'ticker' } } as const
const overlayRequirement = {
  required: ['portfolio', 'overlay'],
  remembers: { portfolio: 'portfolio', overlay: 'overlay' },
} as const
const regimeRequirement = { required: ['overlay'], remembers: { overlay: 'regime' } } as const

/** Endpoints by the name of their command. */
export const portfolioEndpoints = {
  weights: {
    summary: 'live weights of a portfolio',
    path: '/portfolio/live-weights',
    answer: 'snapshot',
    ...portfolioRequirement,
    optional: ['smoothing', 'exchange', 'asOf'],
  },
  history: {
    summary: 'weights of a portfolio by day',
    path: '/portfolio/historical-weights',
    answer: 'matrix',
    ...portfolioRequirement,
    optional: ['smoothing', 'exchange'],
  },
  factors: {
    summary: 'values of a factor by day',
    path: '/portfolio/factors',
    answer: 'matrix',
    ...factorRequirement,
    optional: ['smoothing'],
  },
  'factors-live': {
    summary: 'live values of a factor',
    path: '/portfolio/factors-live',
    answer: 'snapshot',
    ...factorRequirement,
    optional: ['smoothing', 'asOf'],
  },
  tickers: {
    summary: 'tickers that a factor or a portfolio chooses from',
    path: '/portfolio/tickers',
    answer: 'tickers',
    required: ['id', 'universeSize'],
    optional: ['exchange'],
    remembers: { id: 'tickersOf' },
  },
  universe: {
    summary: 'members of a universe by day',
    path: '/portfolio/universe',
    answer: 'matrix',
    required: ['size'],
    optional: ['exchange'],
    remembers: {},
  },
  returns: {
    summary: 'returns of a portfolio by day',
    path: '/portfolio/returns',
    answer: 'series',
    ...portfolioRequirement,
    optional: ['smoothing', 'exchange'],
  },
  overlay: {
    summary: 'a risk overlay of a portfolio by day',
    path: '/portfolio/risk-overlay',
    answer: 'series',
    ...overlayRequirement,
    optional: [],
  },
  'overlay-live': {
    summary: 'the live value of a risk overlay',
    path: '/portfolio/risk-overlay-live',
    answer: 'point',
    ...overlayRequirement,
    optional: ['asOf'],
  },
  regime: {
    summary: 'a risk regime by day',
    path: '/risk-regime',
    answer: 'series',
    ...regimeRequirement,
    optional: [],
  },
  'regime-live': {
    summary: 'the live value of a risk regime',
    path: '/risk-regime-live',
    answer: 'point',
    ...regimeRequirement,
    optional: [],
  },
  prices: {
    summary: 'closing prices by day',
    path: '/price',
    answer: 'prices',
    required: ['ticker'],
    optional: [],
    remembers: { ticker: 'ticker' },
  },
} as const satisfies Record<string, EndpointSpec>

export type PortfolioEndpoint = keyof typeof portfolioEndpoints
export const endpointSpec = (endpoint: PortfolioEndpoint): EndpointSpec => portfolioEndpoints[endpoint]
