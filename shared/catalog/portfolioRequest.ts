import {
  endpointSpec,
  parameterSpec,
  portfolioEndpoints,
  type EndpointSpec,
  type IdKind,
  type PortfolioEndpoint,
  type portfolioParameters,
  type PortfolioParameter,
} from './portfolioEndpoints.ts'

type EndpointSpecs = typeof portfolioEndpoints
type ValueOf<Name extends PortfolioParameter> = (typeof portfolioParameters)[Name] extends { many: true }
  ? readonly string[]
  : (typeof portfolioParameters)[Name] extends { values: readonly (infer Value)[] }
    ? Value
    : string

type RequestOf<Endpoint extends PortfolioEndpoint> = { endpoint: Endpoint } & {
  [Name in EndpointSpecs[Endpoint]['required'][number]]: ValueOf<Name>
} & { [Name in EndpointSpecs[Endpoint]['optional'][number]]?: ValueOf<Name> }

type EndpointsOf<Answer extends EndpointSpec['answer']> = {
  [Endpoint in PortfolioEndpoint]: EndpointSpecs[Endpoint]['answer'] extends Answer ? Endpoint : never
}[PortfolioEndpoint]

type RequestWithAnswer<Answer extends EndpointSpec['answer']> = {
  [Endpoint in EndpointsOf<Answer>]: RequestOf<Endpoint>
}[EndpointsOf<Answer>]

/** Requests for a range of days. */
export type HistoryRequest = RequestWithAnswer<'matrix' | 'series' | 'prices'>
/** Requests for the current values. */
export type LiveRequest = RequestWithAnswer<'snapshot' | 'point'>
export type TickersRequest = RequestWithAnswer<'tickers'>
export type PortfolioRequest = HistoryRequest | LiveRequest | TickersRequest

const valuesOf = (request: PortfolioRequest) =>
  request as unknown as Partial<Record<PortfolioParameter, string | string[]>>

const trimmedList = (names: readonly string[]) => [
  ...new Set(names.map((name) => name.trim()).filter((name) => name !== '')),
]

/** Builds the query of a request. Equivalent requests give the same query, whatever the order of their tickers. */
export function queryOf(request: PortfolioRequest): Record<string, string> {
  const { required, optional } = endpointSpec(request.endpoint)
  const values = valuesOf(request)
  const query: Record<string, string> = {}
  for (const name of [...required, ...optional]) {
    const spec = parameterSpec(name)
    const requested = values[name] ?? spec.byDefault
    if (requested === undefined) continue
    query[spec.query ?? name] =
      typeof requested === 'string' ? requested.trim() : trimmedList(requested).sort().join(',')
  }
  return query
}

/** Parses a query written by `queryTextOf` back into a request to the endpoint. */
export function requestOfQuery<Endpoint extends PortfolioEndpoint>(
  endpoint: Endpoint,
  queryText: string,
): RequestOf<Endpoint> {
  const { required, optional } = endpointSpec(endpoint)
  const query = new URLSearchParams(queryText)
  const values = [...required, ...optional].flatMap((name) => {
    const { query: queryName = name, many } = parameterSpec(name)
    const value = query.get(queryName)
    return value === null ? [] : [[name, many ? value.split(',') : value]]
  })
  return { endpoint, ...Object.fromEntries(values) } as RequestOf<Endpoint>
}

/** Writes the query of a request as one text, which identifies the answer. */
export const queryTextOf = (request: PortfolioRequest): string => new URLSearchParams(queryOf(request)).toString()

/** Returns the tickers that a request names, in the order of the request; null if the service chooses them. */
export function tickersOf(request: PortfolioRequest): string[] | null {
  const { tickers, ticker } = valuesOf(request)
  const requestedTickers = tickers ?? ticker
  return Array.isArray(requestedTickers) ? trimmedList(requestedTickers) : null
}

/** Lists the identifiers in a request that should be suggested again. */
export function idsIn(request: PortfolioRequest): { kind: IdKind; id: string }[] {
  const values = valuesOf(request)
  return Object.entries(endpointSpec(request.endpoint).remembers).flatMap(([name, kind]) => {
    const requested = values[name as PortfolioParameter] ?? []
    return trimmedList(typeof requested === 'string' ? [requested] : requested).map((id) => ({ kind, id }))
  })
}
