/** Document 2, the portfolio service, as data: what can be asked, with which parameters, and the shape of the answer. */

/** Days; without it the portfolio's own smoothing counts. */
export const smoothings = ['0', '5', '10', '15', '20', '30'] as const
export type Smoothing = (typeof smoothings)[number]

/** Short names of the venues, as this service alone uses them. */
export const portfolioExchanges = ['unconstrained', 'venuea', 'venueb', 'venuec'] as const
export type PortfolioExchange = (typeof portfolioExchanges)[number]

/** `close`: the end of the previous trading day; `latest`: the newest intraday snapshot. */
export const asOfValues = ['close', 'latest'] as const
export type AsOf = (typeof asOfValues)[number]

/** Identifier kind whose earlier values are offered again when the user types one. */
export const idKinds = ['portfolio', 'factor', 'overlay', 'regime', 'ticker', 'tickersOf'] as const
export type IdKind = (typeof idKinds)[number]

interface ParameterSpec {
  description: string
  /** The service's name for it where that differs. */
  query?: string
  /** The only values there are. */
  values?: readonly string[]
  /** Pattern of other allowed values, if the parameter is not free text. */
  pattern?: RegExp
  /** Sent where nothing is said, so that an answer never depends on what the service takes for granted. */
  byDefault?: string
  /** A list, comma-separated in the request. */
  many?: true
}

export const portfolioParameters = {
  portfolio: { description: 'A portfolio template, often with its universe size behind a dot.' },
  id: { description: 'A factor, without a universe size.' },
  tickers: { description: 'The tickers.', many: true },
  ticker: { description: 'One ticker or several.', many: true },
  smoothing: { description: 'Days of smoothing; the portfolio’s own where not given.', values: smoothings },
  exchange: { description: 'Constrained to a venue.', values: portfolioExchanges, byDefault: 'unconstrained' },
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
  size: { description: 'The size of the universe.', values: ['20', '30', '40'] },
  overlay: { description: 'A risk overlay or a risk regime.' },
} as const satisfies Record<string, ParameterSpec>

export type PortfolioParameter = keyof typeof portfolioParameters
export const parameterSpec = (name: PortfolioParameter): ParameterSpec => portfolioParameters[name]

export interface EndpointSpec {
  summary: string
  path: string
  /** `matrix`: a column per ticker; `series`: one column; `prices`: either, by how many tickers were requested. */
  answer: 'matrix' | 'series' | 'prices' | 'snapshot' | 'point' | 'tickers'
  required: readonly PortfolioParameter[]
  optional: readonly PortfolioParameter[]
  /** Identifier kinds that are worth remembering. */
  remembers: Partial<Record<PortfolioParameter, IdKind>>
}

const ofPortfolio = { required: ['portfolio'], remembers: { portfolio: 'portfolio' } } as const
const ofFactor = { required: ['id', 'tickers'], remembers: { id: 'factor', tickers: 'ticker' } } as const
const ofOverlay = {
  required: ['portfolio', 'overlay'],
  remembers: { portfolio: 'portfolio', overlay: 'overlay' },
} as const
const ofRegime = { required: ['overlay'], remembers: { overlay: 'regime' } } as const

/** Endpoints by the name of their command. */
export const portfolioEndpoints = {
  weights: {
    summary: 'live weights of a portfolio',
    path: '/portfolio/live-weights',
    answer: 'snapshot',
    ...ofPortfolio,
    optional: ['smoothing', 'exchange', 'asOf'],
  },
  history: {
    summary: 'weights of a portfolio by day',
    path: '/portfolio/historical-weights',
    answer: 'matrix',
    ...ofPortfolio,
    optional: ['smoothing', 'exchange'],
  },
  factors: {
    summary: 'values of a factor by day',
    path: '/portfolio/factors',
    answer: 'matrix',
    ...ofFactor,
    optional: ['smoothing'],
  },
  'factors-live': {
    summary: 'live values of a factor',
    path: '/portfolio/factors-live',
    answer: 'snapshot',
    ...ofFactor,
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
    ...ofPortfolio,
    optional: ['smoothing', 'exchange'],
  },
  overlay: {
    summary: 'a risk overlay of a portfolio by day',
    path: '/portfolio/risk-overlay',
    answer: 'series',
    ...ofOverlay,
    optional: [],
  },
  'overlay-live': {
    summary: 'the live value of a risk overlay',
    path: '/portfolio/risk-overlay-live',
    answer: 'point',
    ...ofOverlay,
    optional: ['asOf'],
  },
  regime: {
    summary: 'a risk regime by day',
    path: '/risk-regime',
    answer: 'series',
    ...ofRegime,
    optional: [],
  },
  'regime-live': {
    summary: 'the live value of a risk regime',
    path: '/risk-regime-live',
    answer: 'point',
    ...ofRegime,
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
