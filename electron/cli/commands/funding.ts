import { fundingPeriodProblem, UNKNOWN_PERIOD } from '#shared/funding/typedPeriod.ts'
import type { CallOutput } from '#shared/contract/calls.ts'
import { seriesColumns } from '#shared/sheet/seriesColumns.ts'
import { column, fieldColumns, type ReadColumn } from '#shared/sheet/sheet.ts'
import { action, exit, type CliCommand } from '../command.ts'
import { findConnection } from '../connections.ts'
import { recordLines } from '../sheetLines.ts'
import { checkList, listOption, refuseListAndSymbol } from '../symbolLists.ts'
import { fundingCommandText as text } from '../text/commands.ts'
import { noteText, progressText } from '../text/messages.ts'
import { UsageError } from '../usageError.ts'
import { venuesOf } from '#shared/contract/venuesOf.ts'
import { noteUnlistedVenues } from '../venues.ts'

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  options: {
    exchange: { type: 'list', value: 'V[,V]', description: text.list.options.exchange },
    symbol: { type: 'list', value: 'S[,S]', symbols: 'cached', description: text.list.options.symbol },
    list: listOption,
  },
  async run({ client, connection, options, out, signal }) {
    refuseListAndSymbol(options)
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    await checkList(core, connectionId, options, out)
    const { exchange: exchanges, symbol: symbols, list: name } = options
    const found = await core.call(
      'funding.list',
      { connectionId, exchanges, symbols, list: name },
      { signal, onProgress: ({ done, total }) => out.progress({ done, total, message: progressText.filesRead }) },
    )
    const periods = found.periods.map((row) => ({
      exchange: row.exchange,
      symbol: row.symbol,
      from: instantOrNull(row.fromMs),
      to: instantOrNull(row.toMs),
      every_hours: row.everyHours,
      offset_hours: row.offsetHours,
      rate_per_hours: row.ratePerHours,
      basis: row.basis,
    }))
    const conflicts = found.conflicts.map(({ exchange, symbol, fromMs, toMs, observed, announced }) => ({
      exchange,
      symbol,
      from: instantOrNull(fromMs),
      to: instantOrNull(toMs),
      observed,
      announced,
    }))
    out.result({ version: 1, periods, conflicts }, () => recordLines(periodColumns, found.periods, text.list.none))
    for (const each of conflicts)
      out.note(noteText.warning(text.list.conflict(each, each.from ?? OPEN_END, each.to ?? OPEN_END)))
    return exit.done
  },
})

const OPEN_END = '–'

const hours = { unit: 'h' }

const periodColumns: readonly ReadColumn<CallOutput<'funding.list'>['periods'][number]>[] = [
  seriesColumns.exchange,
  seriesColumns.symbol,
  column('from', 'From', 'time', ({ fromMs }) => fromMs),
  column('to', 'To', 'time', ({ toMs }) => toMs),
  column('every_hours', 'Every', 'count', ({ everyHours }) => everyHours, hours),
  column('offset_hours', 'Offset', 'count', ({ offsetHours }) => offsetHours, hours),
  column('rate_per_hours', 'Rate per', 'count', ({ ratePerHours }) => ratePerHours, hours),
  ...fieldColumns({ basis: 'Basis' }),
]

const instantOrNull = (timeMs: number | null): string | null =>
  timeMs === null ? null : new Date(timeMs).toISOString()

const set = action({
  name: 'set',
  summary: text.set.summary,
  options: {
    exchange: { type: 'text', value: 'VENUE', required: true, description: text.set.options.exchange },
    symbol: { type: 'text', value: 'SYMBOL', symbols: 'listed', description: text.set.options.symbol },
    every: { type: 'text', value: 'PERIOD', required: true, description: text.set.options.every },
  },
  async run({ client, connection, options: { exchange, symbol = null, every }, out }) {
    const problem = every === UNKNOWN_PERIOD ? null : fundingPeriodProblem(every)
    if (problem !== null) throw new UsageError(`--every: ${problem}`)
    const core = await client()
    const { id } = await findConnection(core, connection)
    noteUnlistedVenues(out, await venuesOf(core, id), [exchange])
    await core.call('funding.setDefault', { exchange, symbol, every })
    const typed = await core.call('funding.defaults', {})
    const periodOf = (wanted: string | null) =>
      typed.find((each) => each.exchange === exchange && each.symbol === wanted)?.every ?? null
    out.result({ exchange, symbol, every: periodOf(symbol) }, () => [
      every === UNKNOWN_PERIOD
        ? text.set.removed(exchange, symbol, symbol === null ? null : periodOf(null))
        : text.set.done(exchange, symbol, every),
    ])
    return exit.done
  },
})

export const command: CliCommand = {
  verb: 'funding',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope funding list --exchange VENUE',
    'perpscope funding set --exchange VENUE --every 8h',
    'perpscope funding set --exchange VENUE --symbol perpetual-BTC-USDT:USDT --every 1h',
  ],
  actions: [list, set],
}
