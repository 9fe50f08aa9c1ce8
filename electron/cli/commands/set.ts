import { resultText, usageText } from '../text/messages.ts'
import { setText as text } from '../text/commands.ts'
import type { DownloadSet } from '#shared/contract/areas/downloads.ts'
import { column, type ReadColumn } from '#shared/sheet/sheet.ts'
import { singleLine } from '#shared/units/fileNames.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { action, exit, type CliCommand } from '../command.ts'
import { findConnection } from '../connections.ts'
import { checkNames } from '../fetching/checkNames.ts'
import { findSet } from '../fetching/findSet.ts'
import { dayOption, selectionOf, selectionOptions } from '../fetching/selection.ts'
import { recordLines } from '../sheetLines.ts'
import { checkList } from '../symbolLists.ts'
import { UsageError } from '../usageError.ts'

const nameArgument = { name: 'NAME', description: text.args.NAME } as const

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  async run({ client, connection, out }) {
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    const sets = await core.call('downloads.sets', { connectionId })
    out.result(sets, () => recordLines(columns, sets, resultText.noSets))
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

const shortList = (names: readonly string[]) =>
  names.length > 3 ? `${names.slice(0, 2).join(',')} and ${names.length - 2} more` : names.join(',')

const columns: readonly ReadColumn<DownloadSet>[] = [
  column('name', 'Name', 'text', ({ name }) => name),
  column('start', 'From', 'text', ({ start }) =>
    'day' in start ? start.day : `last ${plainPlural(start.lastDays, 'day')}`,
  ),
  column('datasets', 'Datasets', 'text', ({ datasets }) => shortList(datasets)),
  column('exchanges', 'Venues', 'text', ({ list, exchanges }) =>
    list !== undefined && exchanges.length === 0 ? resultText.venuesOfList : shortList(exchanges),
  ),
  column('symbols', 'Symbols', 'text', ({ list, symbols }) =>
    list === undefined ? shortList(symbols) : resultText.ofList(list),
  ),
  column('intervals', 'Intervals', 'text', (set) => (set.kind === 'raw' ? 'raw events' : shortList(set.intervals))),
  column('timestamps', 'Clocks', 'text', (set) => (set.kind === 'raw' ? '' : shortList(set.timestamps))),
  column('enqueuedAt', 'Last fetched', 'text', ({ enqueuedAt }) =>
    enqueuedAt === null ? 'never' : zonedTime(enqueuedAt, 'utc'),
  ),
]

export const command: CliCommand = {
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
