import { usageText } from '../text/messages.ts'
import { portfolioCommandText as text } from '../text/commands.ts'
import {
  endpointSpec,
  parameterSpec,
  portfolioEndpoints,
  type PortfolioEndpoint,
  type PortfolioParameter,
} from '#shared/catalog/portfolioEndpoints.ts'
import type { HistoryRequest, LiveRequest, PortfolioRequest, TickersRequest } from '#shared/catalog/portfolioRequest.ts'
import type { Client } from '#shared/contract/client.ts'
import {
  action,
  exit,
  type Action,
  type CliCommand,
  type Invocation,
  type OptionSpec,
  type OptionTable,
} from '../command.ts'
import { findConnection } from '../connections.ts'
import { dayOptions, dayRange } from '../dayOptions.ts'
import { historyDocument, historyLines, liveDocument, liveLines, portfolioNotes } from '../portfolioAnswers.ts'
import { attributionAction, correlationsAction, ownAction } from '../bookActions.ts'
import { tearSheetAction } from '../tearsheet/tearSheetAction.ts'
import { snapshotsAction } from '../snapshotsAction.ts'
import { UsageError } from '../usageError.ts'

/** Returns the option of a parameter: `as-of` for `asOf`. */
const optionOf = (name: PortfolioParameter) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function optionSpec(name: PortfolioParameter, isRequired: boolean): OptionSpec {
  const { description, values, many } = parameterSpec(name)
  const common = { description, ...(isRequired && { required: true as const }) }
  const value = optionOf(name).toUpperCase().replaceAll('-', '_')
  return many ? { type: 'list', value: `${value}[,…]`, ...common } : { type: 'text', value, values, ...common }
}

const isHistory = (endpoint: PortfolioEndpoint) =>
  ['matrix', 'series', 'prices'].includes(endpointSpec(endpoint).answer)

function optionsOf(endpoint: PortfolioEndpoint): OptionTable {
  const { required, optional } = endpointSpec(endpoint)
  return {
    ...Object.fromEntries(required.map((name) => [optionOf(name), optionSpec(name, true)])),
    ...Object.fromEntries(optional.map((name) => [optionOf(name), optionSpec(name, false)])),
    ...(isHistory(endpoint) && dayOptions),
    refresh: { type: 'flag', description: text.options.refresh },
  }
}

/** Builds the request from the options; required options and fixed values were checked during parsing. */
function requestOf(endpoint: PortfolioEndpoint, options: Record<string, unknown>): PortfolioRequest {
  const { required, optional } = endpointSpec(endpoint)
  const given = [...required, ...optional].flatMap((name) => {
    const value = options[optionOf(name)] as string | string[] | undefined
    const { pattern } = parameterSpec(name)
    if (typeof value === 'string' && pattern && !pattern.test(value))
      throw new UsageError(usageText.notParameter(optionOf(name), value, parameterSpec(name).description))
    return value === undefined ? [] : [[name, value] as const]
  })
  return { endpoint, ...Object.fromEntries(given) } as unknown as PortfolioRequest
}

async function answer(endpoint: PortfolioEndpoint, { client, connection, options, out, signal }: Invocation) {
  const given = options as Record<string, unknown>
  const request = requestOf(endpoint, given)
  const range = dayRange(given as { start?: string; end?: string })
  const core: Client = await client()
  const { id: connectionId } = await findConnection(core, connection)
  const requestBase = { connectionId, refresh: given.refresh === true }
  const { answer: answerShape } = endpointSpec(endpoint)
  if (isHistory(endpoint)) {
    const input = { ...requestBase, ...range, request: request as HistoryRequest }
    const { rows, freshness } = await core.call('portfolio.history', input, { signal })
    out.result({ ...historyDocument(input.request, rows), learned: freshness }, () => historyLines(rows))
    portfolioNotes(freshness).forEach(out.note)
  } else if (answerShape === 'tickers') {
    const input = { ...requestBase, request: request as TickersRequest }
    const { tickers, freshness } = await core.call('portfolio.tickers', input, { signal })
    out.result({ tickers, learned: freshness }, () => tickers)
    portfolioNotes(freshness).forEach(out.note)
  } else {
    const live = await core.call('portfolio.live', { ...requestBase, request: request as LiveRequest }, { signal })
    out.result({ ...liveDocument(live), learned: live.freshness }, () => liveLines(live))
    portfolioNotes(live.freshness).forEach(out.note)
  }
  return exit.done
}

const answerActions: Action[] = (Object.keys(portfolioEndpoints) as PortfolioEndpoint[]).map((endpoint) =>
  action({
    name: endpoint,
    readsOnly: true,
    summary: endpointSpec(endpoint).summary,
    options: optionsOf(endpoint),
    run: (invocation) => answer(endpoint, invocation as Invocation),
  }),
)

export const command: CliCommand = {
  verb: 'portfolio',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope portfolio weights --portfolio momentum_ls.20 --as-of latest',
    'perpscope portfolio prices --ticker BTC,ETH --start 2026-01-01 --json',
    'perpscope portfolio snapshots --kind weights --portfolio momentum_ls.20',
    'perpscope portfolio correlations portfolio:momentum_ls.20 price:BTC --order linkage',
    'perpscope portfolio attribution portfolio:momentum_ls.20 --on price:BTC,price:ETH',
    'perpscope portfolio own add desk returns.csv',
    'perpscope portfolio tearsheet --portfolio momentum_ls.20 --benchmark BTC --format csv > momentum.csv',
  ],
  actions: [...answerActions, snapshotsAction, tearSheetAction, correlationsAction, attributionAction, ownAction],
}
