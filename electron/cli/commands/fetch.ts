import { requestOfSet } from '#shared/contract/areas/downloads.ts'
import { dayOf } from '#shared/time.ts'
import { action, type Command, type Invocation } from '../command.ts'
import { findConnection } from '../connections.ts'
import { checkNames, unlistedSymbols } from '../fetching/checkNames.ts'
import { findSet } from '../fetching/findSet.ts'
import { fetchFiles, PRIORITY, type FetchWishes } from '../fetching/fetchFiles.ts'
import { dayOption, isAnyChosen, selectionOf, selectionOptions } from '../fetching/selection.ts'
import { UsageError } from '../usageError.ts'

const fetchOptions = {
  ...selectionOptions,
  end: { type: 'text', value: 'DATE', description: 'Last UTC day, included.' },
  set: {
    type: 'text',
    value: 'NAME',
    description: 'What was saved under this name, up to today, instead of all of these.',
  },
  'dry-run': { type: 'flag', description: 'Say what would be fetched, and fetch nothing.' },
  concurrency: {
    type: 'integer',
    value: 'N',
    min: 1,
    max: 32,
    description: 'Files at a time; else as in the settings.',
  },
  refresh: { type: 'flag', description: 'Fetch again what is here, and report what differs.' },
} as const

type FetchInvocation = Invocation<typeof fetchOptions>
type Wanted = Pick<FetchWishes, 'request' | 'enqueue' | 'explainAbsent'>

const fetchAction = action({
  name: '',
  summary: 'plan and download metric or raw-event files',
  options: fetchOptions,
  async run(invocation: FetchInvocation) {
    const { 'dry-run': isDryRun, concurrency, set } = invocation.options
    const wanted = set === undefined ? await chosen(invocation) : await saved(invocation, set)
    return fetchFiles(invocation, { ...wanted, isDryRun, concurrency })
  },
})

async function chosen({ client, connection, options, signal }: FetchInvocation): Promise<Wanted> {
  const selection = selectionOf(options)
  const [startDay, endDay] = [dayOption('start', options.start), dayOption('end', options.end)]
  if (endDay < startDay) throw new UsageError('--end must not be before --start.')
  const core = await client()
  const connectionId = (await findConnection(core, connection)).id
  await checkNames(core, connectionId, selection, signal)
  const request = { connectionId, ...selection, startDay, endDay, refresh: options.refresh, tryRefused: true }
  const label = `fetch ${selection.datasets.join(',')}`.slice(0, 200)
  return {
    request,
    enqueue: () => core.call('downloads.enqueue', { request, label, priority: PRIORITY }),
    explainAbsent: () => unlistedSymbols(core, connectionId, selection, signal),
  }
}

async function saved({ client, connection, options, signal }: FetchInvocation, name: string): Promise<Wanted> {
  if (isAnyChosen(options) || options.end !== undefined)
    throw new UsageError('--set already says what to fetch; leave the other choices out.')
  const core = await client()
  const { id: connectionId } = await findConnection(core, connection)
  const again = { refresh: options.refresh, tryRefused: true }
  const request = { ...requestOfSet(await findSet(core, connectionId, name), dayOf(Date.now())), ...again }
  return {
    request,
    enqueue: () => core.call('downloads.enqueueSet', { connectionId, name, priority: PRIORITY, ...again }),
    explainAbsent: () => unlistedSymbols(core, connectionId, request, signal),
  }
}

export const command: Command = {
  verb: 'fetch',
  summary: 'plan and download metric or raw-event files',
  description: [
    'Plans which files the range needs, leaves out what is cached, and downloads the rest through the queue. Files are whole months before 2026-08-01 and single days from it on. What another Perpscope is fetching already is followed, not fetched twice. All of --dataset, --exchange, --symbol, --interval, --timestamp, --start and --end are needed, or --set alone (see “perpscope set”). With --raw it is raw events, where the service lists such files; they need neither --interval nor --timestamp.',
    'With --json, one line a file: {"dataset", "exchange", "symbol", "interval", "timestamp", "period", "state", "bytes", "path", "error"}, state being cached, downloaded, failed, locked or absent (with --dry-run also missing: it would be fetched); the last line is {"summary":{…}}.',
    'Status 3 where only a part came; 1 where nothing did; interrupted, everything finished so far is kept and the rest is taken out of the queue.',
  ],
  examples: [
    'perpscope fetch --dataset flow,ohlcv --exchange venuea-futures --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --start 2026-06-01 --end 2026-09-14',
    'perpscope fetch --dataset flow --exchange venuea-futures --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --start 2026-09-01 --end 2026-09-14 --dry-run --json',
    'perpscope fetch --raw --dataset trades,quotes --exchange venuea-futures --symbol perpetual-BTC-USDT:USDT --start 2026-09-01 --end 2026-09-07',
    'perpscope fetch --set "morning"',
  ],
  actions: [fetchAction],
}
