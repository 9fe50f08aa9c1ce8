import { usageText } from '../text/messages.ts'
import { fetchText as text } from '../text/commands.ts'
import { requestOfSet } from '#shared/contract/areas/downloads.ts'
import type { Client } from '#shared/contract/client.ts'
import { previewSlice, type PreviewSlice, sliceDays } from '#shared/contract/previewSlice.ts'
import { dayOf } from '#shared/time.ts'
import { soleAction, type CliCommand, type ExitStatus, type Invocation } from '../command.ts'
import { findConnection } from '../connections.ts'
import { checkNames, unlistedSymbolMessages } from '../fetching/checkNames.ts'
import { findSet } from '../fetching/findSet.ts'
import { fetchFiles, type FetchRequest } from '../fetching/fetchFiles.ts'
import type { FileListing } from '../fetching/fetchReport.ts'
import { dayOption, isAnyChosen, selectionOf, selectionOptions } from '../fetching/selection.ts'
import { checkList } from '../symbolLists.ts'
import { quietText } from '../text/terminalTexts.ts'
import { UsageError } from '../usageError.ts'

const fetchOptions = {
  ...selectionOptions,
  end: { type: 'text', value: 'DATE', description: text.options.end },
  set: {
    type: 'text',
    value: 'NAME',
    description: text.options.set,
  },
  'dry-run': { type: 'flag', description: text.options['dry-run'] },
  estimate: { type: 'flag', description: quietText.estimate },
  verbose: { type: 'flag', description: quietText.verbose },
  concurrency: {
    type: 'integer',
    value: 'N',
    min: 1,
    max: 32,
    description: text.options.concurrency,
  },
  refresh: { type: 'flag', description: text.options.refresh },
  'try-locked': { type: 'flag', description: text.options['try-locked'] },
  publish: { type: 'flag', description: text.options.publish },
} as const

type FetchInvocation = Invocation<typeof fetchOptions>
type PreparedFetch = Pick<FetchRequest, 'request' | 'enqueue' | 'explainAbsent'>

const fetchAction = soleAction({
  summary: text.run.summary,
  options: fetchOptions,
  readsOnly: (options) => options['dry-run'] || options.estimate,
  async run(invocation: FetchInvocation) {
    const { estimate, verbose, concurrency, set, publish } = invocation.options
    const isDryRun = invocation.options['dry-run'] || estimate
    const listing = estimate ? 'counts' : verbose ? 'all' : 'changes'
    const prepared = set === undefined ? await prepareFetch(invocation) : await prepareSavedFetch(invocation, set)
    return fetchFiles(invocation, { ...prepared, isDryRun, concurrency, listing, mustPublish: publish && !isDryRun })
  },
})

const retryOptions = ({ refresh, 'try-locked': tryLocked }: FetchInvocation['options']) => ({
  refresh,
  tryLocked,
  tryRefused: true,
})

async function prepareFetch(invocation: FetchInvocation): Promise<PreparedFetch> {
  const { client, connection, out, signal } = invocation
  const core = await client()
  const { id: connectionId, preview = false } = await findConnection(core, connection)
  const options = preview
    ? withSlice(invocation.options, await sliceOf(core, connectionId, signal))
    : invocation.options
  const selection = selectionOf(options, { start: options.start, end: options.end })
  const [startDay, endDay] = [dayOption('start', options.start), dayOption('end', options.end)]
  if (endDay < startDay) throw new UsageError(usageText.endBeforeStart)
  await checkNames(core, connectionId, selection, { out, signal })
  await checkList(core, connectionId, options, out)
  const request = { connectionId, ...selection, startDay, endDay, ...retryOptions(options) }
  const label = `fetch ${selection.datasets.join(',')}`.slice(0, 200)
  return {
    request,
    enqueue: (options) => core.call('downloads.enqueue', { request: { ...request, ...options }, label }),
    explainAbsent: () => unlistedSymbolMessages(core, connectionId, selection, signal),
  }
}

/** Returns the slice of a connection of previews; null if no catalog names one. */
async function sliceOf(core: Client, connectionId: string, signal: AbortSignal): Promise<PreviewSlice | null> {
  const answer = await core.call('discovery.rawCatalog', { connectionId }, { signal }).catch(() => null)
  signal.throwIfAborted()
  return answer && previewSlice(answer.catalog.previewPeriod, answer.catalog.previewSymbols)
}

/** Fills in what was left out: the first venue of the slice with its symbol, and the days. */
function withSlice(options: FetchInvocation['options'], slice: PreviewSlice | null): FetchInvocation['options'] {
  if (!slice) return options
  const { startDay, endDay } = sliceDays(slice)
  const { list, start = startDay, end = endDay, exchange = Object.keys(slice.symbols).slice(0, 1) } = options
  if (list !== undefined) return { ...options, start, end }
  const symbol = options.symbol ?? [...new Set(exchange.flatMap((venue) => slice.symbols[venue] ?? []))]
  return { ...options, start, end, exchange, ...(symbol.length > 0 && { symbol }) }
}

function prepareSavedFetch(invocation: FetchInvocation, name: string): Promise<PreparedFetch> {
  const { options } = invocation
  if (isAnyChosen(options) || options.end !== undefined) throw new UsageError(usageText.setReplacesOptions)
  return prepareSet(invocation, name, retryOptions(options))
}

async function prepareSet(
  { client, connection, out, signal }: Pick<Invocation, 'client' | 'connection' | 'out' | 'signal'>,
  name: string,
  retry: ReturnType<typeof retryOptions>,
): Promise<PreparedFetch> {
  const core = await client()
  const { id: connectionId } = await findConnection(core, connection)
  const set = await findSet(core, connectionId, name)
  await checkList(core, connectionId, { list: set.list, exchange: set.exchanges }, out)
  const request = { ...requestOfSet(set, dayOf(Date.now())), ...retry }
  return {
    request,
    enqueue: (options) => core.call('downloads.enqueueSet', { connectionId, name, ...retry, ...options }),
    explainAbsent: () => unlistedSymbolMessages(core, connectionId, request, signal),
  }
}

/** Fetches a saved set; the scheduled refresh uses this. */
export async function fetchSet(
  invocation: Pick<Invocation, 'app' | 'client' | 'connection' | 'offline' | 'out' | 'signal'>,
  name: string,
  listing: FileListing,
): Promise<ExitStatus> {
  const prepared = await prepareSet(invocation, name, { refresh: false, tryLocked: false, tryRefused: true })
  return fetchFiles(invocation, { ...prepared, isDryRun: false, concurrency: undefined, listing })
}

export const command: CliCommand = {
  verb: 'fetch',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope fetch --dataset flow,ohlcv --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --start 2026-06-01 --end 2026-09-14',
    'perpscope fetch --dataset flow --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --start 2026-09-01 --end 2026-09-14 --dry-run --json',
    'perpscope fetch --raw --dataset trades,quotes --exchange VENUE --symbol perpetual-BTC-USDT:USDT --start 2026-09-01 --end 2026-09-07',
    'perpscope fetch --set "morning"',
    'perpscope fetch --set "morning" --publish',
  ],
  actions: [fetchAction],
}
