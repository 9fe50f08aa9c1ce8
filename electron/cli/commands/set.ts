import { resultText, usageText } from '../text/messages.ts'
import { setText as text } from '../text/commands.ts'
import type { DownloadSet } from '#shared/contract/areas/downloads.ts'
import { singleLine } from '#shared/units/fileNames.ts'
import { formatTime } from '#shared/units/instants.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { action, exit, type Command } from '../command.ts'
import { findConnection } from '../connections.ts'
import { checkNames } from '../fetching/checkNames.ts'
import { findSet } from '../fetching/findSet.ts'
import { dayOption, selectionOf, selectionOptions } from '../fetching/selection.ts'
import { tableLines } from '../print.ts'
import { checkList } from '../symbolLists.ts'
import { UsageError } from '../usageError.ts'

const heads = ['NAME', 'FROM', 'DATASETS', 'EXCHANGES', 'SYMBOLS', 'INTERVALS', 'TIME', 'LAST FETCHED']
const nameArgument = { name: 'NAME', description: text.args.NAME } as const

const list = action({
  name: 'list',
  summary: text.list.summary,
  async run({ client, connection, out }) {
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    const sets = await core.call('downloads.sets', { connectionId })
    out.result(sets, () => (sets.length > 0 ? tableLines([heads, ...sets.map(rowOf)]) : [resultText.noSets]))
    return exit.done
  },
})

const save = action({
  name: 'save',
  summary: text.save.summary,
  args: [{ name: 'NAME', description: text.save.args.NAME }],
  options: {
    ...selectionOptions,
    last: {
      type: 'integer',
      value: 'DAYS',
      min: 1,
      max: 7320,
      description: text.save.options.last,
    },
  },
  async run({ client, connection, args, options, out, signal }) {
    const selection = selectionOf(options)
    if ((options.start === undefined) === (options.last === undefined)) throw new UsageError(usageText.startOrLast)
    const start = options.last === undefined ? { day: dayOption('start', options.start) } : { lastDays: options.last }
    const setName = singleLine(args[0])
    if (setName === '' || setName.length > 100) throw new UsageError(usageText.badSetName)
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    await checkNames(core, connectionId, selection, { out, signal })
    await checkList(core, connectionId, options, out)
    const saved = await core.call('downloads.saveSet', { set: { connectionId, ...selection, name: setName, start } })
    out.result(saved, () => [resultText.setSaved(saved.name)])
    return exit.done
  },
})

const remove = action({
  name: 'remove',
  summary: text.remove.summary,
  args: [nameArgument],
  async run({ client, connection, args, out }) {
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    const found = await findSet(core, connectionId, args[0])
    await core.call('downloads.removeSet', { connectionId, name: found.name })
    out.result({ removed: found.name }, () => [resultText.removed(found.name)])
    return exit.done
  },
})

function rowOf({ name: setName, start, enqueuedAt, ...set }: DownloadSet): string[] {
  const shortList = (names: readonly string[]) =>
    names.length > 3 ? `${names.slice(0, 2).join(',')} and ${names.length - 2} more` : names.join(',')
  return [
    setName,
    'day' in start ? start.day : `last ${plainPlural(start.lastDays, 'day')}`,
    shortList(set.datasets),
    set.list !== undefined && set.exchanges.length === 0 ? resultText.venuesOfList : shortList(set.exchanges),
    set.list === undefined ? shortList(set.symbols) : resultText.ofList(set.list),
    ...(set.kind === 'raw' ? ['raw events', ''] : [set.intervals, set.timestamps].map(shortList)),
    enqueuedAt === null ? 'never' : formatTime(enqueuedAt, 'utc', 'minute'),
  ]
}

export const command: Command = {
  verb: 'set',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope set save morning --dataset flow,ohlcv --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1m --timestamp exchange --last 30',
    'perpscope fetch --set morning',
    'perpscope set list',
  ],
  actions: [list, save, remove],
}
