import { timestampSources } from '#shared/catalog/intervals.ts'
import { parseDay } from '#shared/time.ts'
import { action, exit, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { followBatch } from '../fetching/followBatch.ts'
import { createFetchReport } from '../fetching/fetchReport.ts'
import { plannedFiles } from '../fetching/plannedFiles.ts'
import { UsageError } from '../usageError.ts'

/** What a person waits for goes before what the queue holds anyway. */
const PRIORITY = 100

const fetchAction = action({
  name: '',
  summary: 'plan and download metric files',
  options: {
    dataset: { type: 'list', value: 'D[,D]', required: true, words: 'Metric datasets.' },
    exchange: { type: 'list', value: 'V[,V]', required: true, words: 'Venues.' },
    symbol: { type: 'list', value: 'S[,S]', required: true, words: 'Symbols, as perpetual-BTC-USDT:USDT.' },
    interval: { type: 'list', value: 'I[,I]', required: true, words: 'Intervals, such as 1m or 1h.' },
    timestamp: {
      type: 'text',
      value: 'T',
      required: true,
      values: timestampSources,
      words: 'exchange: when the venue says it happened; true: when it arrived.',
    },
    start: { type: 'text', value: 'DATE', required: true, words: 'First UTC day, YYYY-MM-DD.' },
    end: { type: 'text', value: 'DATE', required: true, words: 'Last UTC day, included.' },
    'dry-run': { type: 'flag', words: 'Say what would be fetched, and fetch nothing.' },
    concurrency: { type: 'integer', value: 'N', min: 1, max: 32, words: 'Files at a time; else as in the settings.' },
    refresh: { type: 'flag', words: 'Fetch again what is here, and report what differs.' },
  },
  async run({ app, client, connection, options, offline, out, signal }) {
    const { start, end, timestamp } = options
    for (const [name, text] of Object.entries({ start, end })) {
      if (parseDay(text) === null) throw new UsageError(`--${name} must be a day as YYYY-MM-DD, not “${text}”.`)
    }
    if (end < start) throw new UsageError('--end must not be before --start.')
    const core = await client()
    const request = {
      connectionId: (await findConnection(core, connection)).id,
      datasets: options.dataset,
      exchanges: options.exchange,
      symbols: options.symbol,
      intervals: options.interval,
      timestamps: [timestamp],
      startDay: start,
      endDay: end,
      refresh: options.refresh,
      tryRefused: true,
    }
    const files = plannedFiles(await core.call('downloads.plan', { request }, { signal }))
    const report = createFetchReport(out, options['dry-run'])
    for (const file of files) if (!file.fetch || options['dry-run']) report.planned(file)
    if (options['dry-run']) {
      const { bytes } = await core.call('downloads.preview', { request }, { signal })
      return report.end({ toFetch: files.filter((file) => file.fetch).length, estimatedBytes: bytes })
    }
    const wanted = files.filter((file) => file.fetch)
    if (wanted.length === 0) return report.end({})
    if (offline) {
      report.offline(wanted)
      return report.end({})
    }
    const { batchId } = await core.call(
      'downloads.enqueue',
      { request, label: `fetch ${options.dataset.join(',')}`, priority: PRIORITY },
      { signal },
    )
    ;(await app()).runDownloads(options.concurrency === undefined ? {} : { concurrency: options.concurrency })
    const interrupted = await followBatch(core, batchId, request.connectionId, report, out, signal)
    return interrupted ? exit.interrupted : report.end({})
  },
})

export const command: Command = {
  verb: 'fetch',
  summary: 'plan and download metric files',
  description: [
    'Plans which files the range needs, leaves out what is cached, and downloads the rest through the queue. Files are whole months before 2026-08-01 and single days from it on. What another Perpscope is fetching already is followed, not fetched twice.',
    'With --json, one line a file: {"dataset", "exchange", "symbol", "interval", "timestamp", "period", "state", "bytes", "path", "error"}, state being cached, downloaded, failed, locked or absent (with --dry-run also missing: it would be fetched); the last line is {"summary":{…}}.',
    'Status 3 where only a part came; 1 where nothing did; interrupted, everything finished so far is kept and the rest is taken out of the queue.',
  ],
  examples: [
    'perpscope fetch --dataset flow,ohlcv --exchange venuea-futures --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --start 2026-06-01 --end 2026-09-14',
    'perpscope fetch --dataset flow --exchange venuea-futures --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange --start 2026-09-01 --end 2026-09-14 --dry-run --json',
  ],
  actions: [fetchAction],
}
