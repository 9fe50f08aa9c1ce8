import { timestampSources } from '#shared/catalog/intervals.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { action, exit, type CliCommand } from '../command.ts'
import { dayRangeOptions, seriesOptions } from '../seriesOptions.ts'
import { confirmRemoval, yesOption } from '../confirm.ts'
import { findConnection } from '../connections.ts'
import { unknownInCacheMessage } from '../names.ts'
import { formatBytes } from '../sizes.ts'
import { cacheText as text } from '../text/commands.ts'
import { checkList, refuseListAndSymbol } from '../symbolLists.ts'
import { noteText, resultText, usageText } from '../text/messages.ts'
import { parseDayRange } from '../timeRange.ts'
import { UsageError } from '../usageError.ts'

const origins = ['service', 'import', 'computed'] as const

const remove = action({
  name: 'remove',
  summary: text.remove.summary,
  interrupted: text.remove.interrupted,
  options: {
    ...seriesOptions(text.remove.options),
    timestamp: { type: 'list', value: 'T[,T]', values: timestampSources, description: text.remove.options.timestamp },
    period: { type: 'list', value: 'P[,P]', description: text.remove.options.period },
    ...dayRangeOptions(text.remove.options),
    origin: { type: 'list', value: 'O[,O]', values: origins, description: text.remove.options.origin },
    raw: { type: 'flag', description: text.remove.options.raw },
    'dry-run': { type: 'flag', description: text.remove.options['dry-run'] },
    yes: yesOption,
  },
  readsOnly: (options) => options['dry-run'],
  async run({ client, connection, options, out, signal }) {
    refuseListAndSymbol(options)
    const { dataset, exchange, symbol, list, interval, timestamp, period, start, end, origin, raw } = options
    const filterValues = [dataset, exchange, symbol, list, interval, timestamp, period, start, end, origin, connection]
    if (!raw && filterValues.every((given) => given === undefined)) throw new UsageError(usageText.nothingToRemove)
    const filter = {
      ...(raw && { kind: 'raw' as const }),
      datasets: dataset,
      exchanges: exchange,
      symbols: symbol,
      list,
      intervals: interval,
      timestamps: timestamp,
      periods: period,
      origins: origin?.flatMap((each) => origins.filter((known) => known === each)),
      ...parseDayRange(start, end),
    }
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    await checkList(core, connectionId, options, out)
    const callOptions = { signal, onProgress: out.progress }
    const query = { ...filter, connectionId }
    const isDryRun = options['dry-run']
    const planned = await core.call('cache.removePreview', query, callOptions)
    if (!isDryRun) await confirmRemoval(planned.files, formatBytes(planned.sizeBytes), options.yes)
    const { files, sizeBytes } = isDryRun ? planned : await core.call('cache.remove', query, callOptions)
    out.result({ files, bytes: sizeBytes }, () => [
      isDryRun
        ? resultText.wouldRemove(files, formatBytes(sizeBytes))
        : `Removed ${plainPlural(files, 'file')}, ${formatBytes(sizeBytes)}.`,
    ])
    if (files > 0) return exit.done
    out.note(
      (await unknownInCacheMessage(core, connectionId, { dataset, exchange, symbol, interval, timestamp })) ??
        noteText.nothingMatches,
    )
    return exit.done
  },
})

export const command: CliCommand = {
  verb: 'cache',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope cache remove --dataset flow --symbol perpetual-BTC-USDT:USDT --dry-run',
    'perpscope cache remove --raw --origin import --start 2026-09-01 --end 2026-09-01',
  ],
  actions: [remove],
}
