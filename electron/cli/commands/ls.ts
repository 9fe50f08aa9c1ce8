import { lsText as text } from '../text/commands.ts'
import type { ListedFile } from '#shared/contract/areas/cache.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import type { Client } from '#shared/contract/client.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { seriesColumns } from '#shared/sheet/seriesColumns.ts'
import { column, type ReadColumn } from '#shared/sheet/sheet.ts'
import { dayOf } from '#shared/time.ts'
import { soleAction, exit, type CliCommand } from '../command.ts'
import { dayRangeOptions, seriesOptions } from '../seriesOptions.ts'
import { findConnection } from '../connections.ts'
import { unknownInCacheMessage } from '../names.ts'
import type { Output } from '../print.ts'
import { recordLines } from '../sheetLines.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { formatBytes } from '../sizes.ts'
import { checkList, refuseListAndSymbol } from '../symbolLists.ts'
import { parseDayRange } from '../timeRange.ts'

const PAGE = 1000

const ls = soleAction({
  summary: text.run.summary,
  options: {
    ...seriesOptions(text.run.options),
    timestamp: {
      type: 'list',
      value: 'T[,T]',
      values: ['exchange', 'true'],
      description: text.run.options.timestamp,
    },
    ...dayRangeOptions(text.run.options),
  },
  readsOnly: true,
  async run({ client, connection, options, out, signal }) {
    refuseListAndSymbol(options)
    const days = parseDayRange(options.start, options.end)
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    const {
      dataset: datasets,
      exchange: exchanges,
      symbol: symbols,
      list,
      interval: intervals,
      timestamp: timestamps,
    } = options
    await checkList(core, connectionId, options, out)
    const filter = { connectionId, datasets, exchanges, symbols, list, intervals, timestamps, ...days }
    const totals = { files: 0, sizeBytes: 0 }
    for (const owner of [connectionId, computedOwner(connectionId)]) {
      const { files, sizeBytes } = await printFiles(core, { ...filter, connectionId: owner }, out, signal)
      totals.files += files
      totals.sizeBytes += sizeBytes
    }
    out.note(`${plainPlural(totals.files, 'file')}, ${formatBytes(totals.sizeBytes)}.`)
    const names = {
      dataset: datasets,
      exchange: exchanges,
      symbol: symbols,
      interval: intervals,
      timestamp: timestamps,
    }
    const unknownMessage = totals.files === 0 && (await unknownInCacheMessage(core, connectionId, names))
    if (unknownMessage) out.note(unknownMessage)
    return exit.done
  },
})

/**
 * Prints the files of one owner (a connection, or its computed series), page by page.
 * @returns number and total size of the files
 */
async function printFiles(core: Client, filter: CallInput<'cache.list'>, out: Output, signal: AbortSignal) {
  let last: ListedFile | undefined
  for (;;) {
    const after = last ? { series: last.series, period: last.period } : null
    const { files, total } = await core.call('cache.list', { ...filter, after, limit: PAGE }, { signal })
    const lines = out.json ? [] : recordLines(columns, files).slice(last ? 1 : 0)
    if (out.json) for (const file of files) out.record(recordOf(file), () => '')
    // A page is written at once, because writing each line takes longer than making it.
    else if (lines.length > 0) out.line(lines.join('\n'))
    last = files.at(-1)
    if (files.length < PAGE) return total
  }
}

function recordOf(file: ListedFile) {
  const { series, period, state, origin, sizeBytes, sha256, fetchedAt, changedUpstreamAt, pinned, path, computedBy } =
    file
  const { kind, dataset, exchange, symbol, interval, timestamp } = series
  const identity = { kind, dataset, exchange, symbol, interval, timestamp, period }
  return {
    ...identity,
    state,
    origin,
    bytes: sizeBytes,
    sha256,
    fetchedAt,
    changedUpstreamAt,
    pinned,
    path,
    computedBy,
  }
}

const { period, ...ofSeries } = seriesColumns

const columns: readonly ReadColumn<ListedFile>[] = [
  ...Object.values(ofSeries).map((each) => ({ ...each, value: ({ series }: ListedFile) => each.value(series) })),
  period,
  column('state', 'State', 'text', ({ state }) => state),
  column('bytes', 'Size', 'bytes', ({ sizeBytes }) => sizeBytes),
  column('remarks', 'Remarks', 'text', remarksOf),
]

function remarksOf(file: ListedFile): string {
  const { pinned, changedUpstreamAt } = file
  const changedText = changedUpstreamAt === null ? '' : `changed upstream on ${dayOf(changedUpstreamAt)}`
  return [pinned ? 'pinned' : '', changedText, computedText(file)].filter(Boolean).join(', ')
}

/** Says what computed a file; empty for a file that was not computed. */
function computedText({ origin, computedBy }: ListedFile): string {
  if (origin !== 'computed') return ''
  return computedBy ? `computed by ${computedBy.engine}` : 'computed here'
}

export const command: CliCommand = {
  verb: 'ls',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope ls --dataset flow --start 2026-08-01', 'perpscope ls --json | jq -r .path'],
  actions: [ls],
}
