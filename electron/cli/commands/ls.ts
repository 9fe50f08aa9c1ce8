import { lsText as text } from '../text/commands.ts'
import type { ListedFile } from '#shared/contract/areas/cache.ts'
import { dayOf } from '#shared/time.ts'
import { soleAction, exit, type Command } from '../command.ts'
import { dayRangeOptions, seriesOptions } from '../seriesOptions.ts'
import { findConnection } from '../connections.ts'
import { unknownInCache } from '../names.ts'
import { tableLines } from '../print.ts'
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
    let last: ListedFile | undefined
    for (;;) {
      const after = last ? { series: last.series, period: last.period } : null
      const { files, total } = await core.call('cache.list', { ...filter, after, limit: PAGE }, { signal })
      if (out.json) for (const file of files) out.record(recordOf(file), () => '')
      else for (const line of tableLines(files.map(cellsOf))) out.line(line)
      last = files.at(-1)
      if (files.length === PAGE) continue
      out.note(`${plainPlural(total.files, 'file')}, ${formatBytes(total.sizeBytes)}.`)
      const names = {
        dataset: datasets,
        exchange: exchanges,
        symbol: symbols,
        interval: intervals,
        timestamp: timestamps,
      }
      const unknown = total.files === 0 && (await unknownInCache(core, connectionId, names))
      if (unknown) out.note(unknown)
      return exit.done
    }
  },
})

function recordOf(file: ListedFile) {
  const { series, period, state, origin, sizeBytes, sha256, fetchedAt, changedUpstreamAt, pinned, path } = file
  const { kind, dataset, exchange, symbol, interval, timestamp } = series
  const named = { kind, dataset, exchange, symbol, interval, timestamp, period }
  return { ...named, state, origin, bytes: sizeBytes, sha256, fetchedAt, changedUpstreamAt, pinned, path }
}

function cellsOf({ series, period, state, sizeBytes, pinned, changedUpstreamAt }: ListedFile): string[] {
  const { dataset, exchange, symbol, interval, timestamp } = series
  const changed = changedUpstreamAt === null ? '' : `changed upstream on ${dayOf(changedUpstreamAt)}`
  const remarks = [pinned ? 'pinned' : '', changed].filter(Boolean).join(', ')
  return [dataset, exchange, symbol, interval, timestamp, period, state, formatBytes(sizeBytes), remarks]
}

export const command: Command = {
  verb: 'ls',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope ls --dataset flow --start 2026-08-01', 'perpscope ls --json | jq -r .path'],
  actions: [ls],
}
