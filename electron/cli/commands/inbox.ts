import type { InboxEntry } from '#shared/contract/areas/inbox.ts'
import { foundText } from '#shared/contract/checkFound.ts'
import { column, fieldColumns, type ReadColumn } from '#shared/sheet/sheet.ts'
import { parseDay } from '#shared/time.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { action, type CliCommand, exit } from '../command.ts'
import { recordLines } from '../sheetLines.ts'
import { instantOption } from '../timeRange.ts'
import { inboxCommandText as text } from '../text/recordCommands.ts'
import { UsageError } from '../usageError.ts'

const idArgument = { name: 'ID', description: text.args.ID } as const

function parseEntryId(typed: string): number {
  if (!/^[1-9]\d{0,14}$/.test(typed)) throw new UsageError(text.badId(typed))
  return Number(typed)
}

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  async run({ client, out }) {
    const { entries, alarmProblem } = await (await client()).call('inbox.list', {})
    if (alarmProblem !== null) out.problem(alarmProblem)
    const now = Date.now()
    const unread = entries.filter(({ readAt, snoozedUntil }) => readAt === null && (snoozedUntil ?? 0) <= now)
    out.result(entries, () => recordLines(columns, unread, text.list.none))
    return exit.done
  },
})

const columns: readonly ReadColumn<InboxEntry>[] = [
  column('id', 'No.', 'count', ({ id }) => id, { format: String }),
  column('createdAt', 'Time', 'text', ({ createdAt }) => zonedTime(createdAt, 'utc')),
  ...fieldColumns({ check: 'Check', state: 'State' }),
  column('found', 'Found', 'text', (entry) => foundText(entry) || null),
]

const read = action({
  name: 'read',
  summary: text.read.summary,
  args: [idArgument],
  async run({ client, args, out }) {
    const [entry] = await (await client()).call('inbox.read', { ids: [parseEntryId(args[0])] })
    out.result(entry, () => recordLines(columns, [entry]))
    return exit.done
  },
})

const snooze = action({
  name: 'snooze',
  summary: text.snooze.summary,
  args: [idArgument],
  options: { until: { type: 'text', value: 'T', required: true, description: text.snooze.options.until } },
  async run({ client, args, options, out }) {
    const until = parseDay(options.until) ?? instantOption('until', options.until)
    if (until <= Date.now()) throw new UsageError(text.pastTime(zonedTime(until, 'utc')))
    const entry = await (await client()).call('inbox.snooze', { id: parseEntryId(args[0]), untilMs: until })
    out.result(entry, () => [text.snooze.done(entry.id, zonedTime(until, 'utc'))])
    return exit.done
  },
})

export const command: CliCommand = {
  verb: 'inbox',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope inbox list', 'perpscope inbox read 12', 'perpscope inbox snooze 12 --until 2026-12-01'],
  actions: [list, read, snooze],
}
