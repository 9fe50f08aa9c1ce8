import type { InboxEntry } from '#shared/contract/areas/inbox.ts'
import { parseDay } from '#shared/time.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { action, type Command, exit } from '../command.ts'
import { tableLines } from '../print.ts'
import { parseInstant } from '../timeRange.ts'
import { inboxText as text } from '../text/recordCommands.ts'
import { UsageError } from '../usageError.ts'

const idArgument = { name: 'ID', description: text.args.ID } as const

function parseEntryId(typed: string): number {
  if (!/^[1-9]\d{0,14}$/.test(typed)) throw new UsageError(text.badId(typed))
  return Number(typed)
}

const list = action({
  name: 'list',
  summary: text.list.summary,
  async run({ app, out }) {
    const entries = (await app()).checks.inbox()
    const now = Date.now()
    const unread = entries.filter(({ readAt, snoozedUntil }) => readAt === null && (snoozedUntil ?? 0) <= now)
    out.result(entries, () => (unread.length === 0 ? [text.list.none] : tableLines(unread.map(lineOf))))
    return exit.done
  },
})

const lineOf = ({ id: number, check, createdAt, state, value, rows, why }: InboxEntry): string[] => [
  String(number),
  zonedTime(createdAt, 'utc'),
  check,
  state,
  why ?? (rows === null ? (value === null ? '' : exactNumber(value)) : text.rows(rows)),
]

const read = action({
  name: 'read',
  summary: text.read.summary,
  args: [idArgument],
  async run({ app, args, out }) {
    const entry = (await app()).checks.markRead(parseEntryId(args[0]))
    out.result(entry, () => tableLines([lineOf(entry)]))
    return exit.done
  },
})

const snooze = action({
  name: 'snooze',
  summary: text.snooze.summary,
  args: [idArgument],
  options: { until: { type: 'text', value: 'T', required: true, description: text.snooze.options.until } },
  async run({ app, args, options, out }) {
    const until = parseDay(options.until) ?? parseInstant('until', options.until)
    if (until <= Date.now()) throw new UsageError(text.pastTime(zonedTime(until, 'utc')))
    const entry = (await app()).checks.snooze(parseEntryId(args[0]), until)
    out.result(entry, () => [text.snooze.done(entry.id, zonedTime(until, 'utc'))])
    return exit.done
  },
})

export const command: Command = {
  verb: 'inbox',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope inbox list', 'perpscope inbox read 12', 'perpscope inbox snooze 12 --until 2026-12-01'],
  actions: [list, read, snooze],
}
