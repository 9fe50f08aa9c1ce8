import type { CheckRule, RanCheck } from '#shared/contract/areas/inbox.ts'
import { foundText } from '#shared/contract/checkFound.ts'
import { EVERY, MOST_CHECK_NAME_CHARACTERS } from '#shared/contract/checkNames.ts'
import { type Alarm, alarmHostsOf, isAlarmHost } from '#shared/contract/alarm.ts'
import { AppError } from '#shared/contract/errors.ts'
import { column, fieldColumns, type ReadColumn } from '#shared/sheet/sheet.ts'
import { singleLine } from '#shared/units/fileNames.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { action, type CliCommand, exit } from '../command.ts'
import { checkStatus } from '../checkStatus.ts'
import { findConnection } from '../connections.ts'
import { recordLines } from '../sheetLines.ts'
import { splitCommand } from '../splitCommand.ts'
import { checkText as text } from '../text/recordCommands.ts'
import { alarmText } from '../text/terminalTexts.ts'
import { UsageError } from '../usageError.ts'

const nameArgument = { name: 'NAME', description: text.args.NAME } as const

interface RuleOptions {
  formula: string | undefined
  sql: string | undefined
  exchange: string | undefined
  symbol: string | undefined
  interval: string | undefined
  timestamp: 'exchange' | 'true' | undefined
  list: string | undefined
}

const save = action({
  name: 'save',
  summary: text.save.summary,
  args: [nameArgument],
  options: {
    formula: { type: 'text', value: 'F', description: text.save.options.formula },
    sql: { type: 'text', value: 'Q', description: text.save.options.sql },
    exchange: { type: 'text', value: 'V', fromConnection: true, description: text.save.options.exchange },
    symbol: { type: 'text', value: 'S', description: text.save.options.symbol },
    interval: { type: 'text', value: 'I', description: text.save.options.interval },
    timestamp: {
      type: 'text',
      value: 'T',
      fromConnection: true,
      values: ['exchange', 'true'],
      description: text.save.options.timestamp,
    },
    list: { type: 'text', value: 'NAME', description: text.save.options.list },
    run: { type: 'text', value: 'CMD', description: alarmText.run },
    post: { type: 'text', value: 'URL', description: alarmText.post },
  },
  async run({ app, client, connection, args, options, out }) {
    const checkName = singleLine(args[0])
    if (checkName === '' || checkName.length > MOST_CHECK_NAME_CHARACTERS)
      throw new UsageError(text.badName(MOST_CHECK_NAME_CHARACTERS))
    const typedRule = ruleOf(options)
    const alarm = alarmOf(options)
    const { checks, checkRuns, alarms: openAlarms } = await app()
    const alarms = await openAlarms()
    const refusal = alarm && alarms.refusal(alarm)
    if (refusal) throw new UsageError(refusal)
    const { id: connectionId } = await findConnection(await client(), connection)
    const read = (await checkRuns()).readRule(typedRule, connectionId)
    if ('problem' in read) throw new UsageError(read.problem)
    const { rule } = read
    checks.save({ name: checkName, connectionId, rule })
    alarms.set(checkName, alarm)
    out.result({ name: checkName, ...rule, ...(alarm && { alarm }) }, () => [text.saved(checkName)])
    return exit.done
  },
})

function alarmOf({ run, post }: { run: string | undefined; post: string | undefined }): Alarm | null {
  if (run !== undefined && post !== undefined) throw new UsageError(alarmText.runOrPost)
  if (run !== undefined) return { run: splitCommand(run, 'run') }
  return post === undefined ? null : { post }
}

const allow = action({
  name: 'allow',
  summary: alarmText.allow,
  args: [{ name: 'HOST', description: alarmText.host, optional: true }],
  options: { remove: { type: 'flag', description: alarmText.removeHost } },
  readsOnly: (_options, [host]) => host === undefined,
  async run({ client, args, options, out }) {
    const core = await client()
    const before = alarmHostsOf((await core.call('settings.read', {})).alarmHosts)
    const host = args.at(0)?.toLowerCase()
    if (host === undefined && options.remove) throw new UsageError(alarmText.nameHost)
    if (host !== undefined && !isAlarmHost(host)) throw new UsageError(alarmText.notHost(host))
    const others = before.filter((each) => each !== host)
    const hosts = host === undefined ? before : options.remove ? others : [...others, host]
    if (host !== undefined)
      await core.call('settings.change', { alarmHosts: hosts.join(', ') }).catch((thrown: unknown) => {
        if (thrown instanceof AppError && thrown.code === 'bad-input' && thrown.detail !== null)
          throw new UsageError(thrown.detail)
        throw thrown
      })
    out.result(hosts, () => (hosts.length > 0 ? hosts : [alarmText.noHosts]))
    return exit.done
  },
})

function ruleOf({ formula, sql, exchange, symbol, interval, timestamp, list: listName }: RuleOptions): CheckRule {
  if ((formula === undefined) === (sql === undefined)) throw new UsageError(text.formulaOrSql)
  const seriesOption = Object.entries({ exchange, symbol, interval, timestamp, list: listName }).find(
    ([, value]) => value !== undefined,
  )
  if (sql !== undefined) {
    if (seriesOption) throw new UsageError(text.optionOfFormula(seriesOption[0]))
    return { kind: 'sql', sql }
  }
  if (listName !== undefined && symbol !== undefined) throw new UsageError(text.listOrSymbol)
  const place = listName === undefined ? { exchange, symbol } : { exchange: EVERY, symbol: EVERY, list: listName }
  if (place.exchange === undefined || place.symbol === undefined || interval === undefined || timestamp === undefined)
    throw new UsageError(text.seriesMissing)
  const { exchange: venue, symbol: typed, ...more } = place
  const name = typed.toLowerCase() === 'all' ? EVERY : typed
  if (name !== EVERY && /[,*]/.test(name)) throw new UsageError(text.oneSymbol)
  return { kind: 'formula', formula: formula ?? '', exchange: venue, symbol: name, interval, timestamp, ...more }
}

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  async run({ app, client, out }) {
    const listed = await (await client()).call('inbox.list', {})
    const alarms = (await (await app()).alarms()).all()
    const checks = listed.checks.map(({ name, rule }) => ({
      name,
      ...rule,
      ...(Object.hasOwn(alarms, name) && { alarm: alarms[name] }),
    }))
    if (listed.alarmProblem !== null) out.problem(listed.alarmProblem)
    const hasAlarms = checks.some(({ alarm }) => alarm)
    out.result(checks, () =>
      recordLines(
        [
          ...fieldColumns({ name: 'Name' }),
          column<CheckRule>('rule', 'Rule', 'text', describe),
          ...(hasAlarms ? [column<{ alarm?: Alarm }>('alarm', 'Alarm', 'text', alarmLine)] : []),
        ],
        checks,
        text.list.none,
      ),
    )
    return exit.done
  },
})

const alarmLine = ({ alarm }: { alarm?: Alarm }): string | null =>
  alarm ? ('post' in alarm ? alarm.post : alarm.run.join(' ')) : null

const describe = (rule: CheckRule): string =>
  rule.kind === 'sql'
    ? rule.sql.replace(/\s+/g, ' ').trim()
    : `${rule.formula}  (${[...(rule.list === undefined ? [rule.exchange, rule.symbol] : [`list ${rule.list}`]), rule.interval, rule.timestamp].join(' ')})`

const remove = action({
  name: 'remove',
  summary: text.remove.summary,
  args: [nameArgument],
  async run({ client, args, out }) {
    await (await client()).call('inbox.removeCheck', { name: args[0] })
    out.result({ removed: args[0] }, () => [text.remove.done(args[0])])
    return exit.done
  },
})

const run = action({
  name: 'run',
  summary: text.run.summary,
  interrupted: text.run.interrupted,
  args: [{ ...nameArgument, optional: true }],
  async run({ client, args, out, signal }) {
    const core = await client()
    const checks = await core.call('inbox.run', { name: args.at(0) ?? null }, { signal })
    const { alarmProblem } = await core.call('inbox.list', {})
    if (alarmProblem !== null) out.problem(alarmProblem)
    out.result({ checks }, () => recordLines(ranColumns, checks, text.list.none))
    return checkStatus(checks)
  },
})

const ranColumns: readonly ReadColumn<RanCheck>[] = [
  ...fieldColumns({ name: 'Name', state: 'State' }),
  column('found', 'Found', 'text', foundWithTime),
]

function foundWithTime(outcome: RanCheck): string | null {
  const { why, found, time } = outcome
  const text = foundText(outcome)
  if (why !== null || (found && found.hits > 0)) return text
  return [text, time === null ? '' : zonedTime(time, 'utc')].filter(Boolean).join(' at ') || null
}

export const command: CliCommand = {
  verb: 'check',
  summary: text.summary,
  description: [...text.description, alarmText.description],
  examples: [
    "perpscope check save hot --formula 'funding.funding_rate > 0.0005' --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange",
    'perpscope check save gaps --sql "SELECT * FROM cache.files WHERE state = \'partial\'"',
    'perpscope check run',
    'perpscope check allow alerts.example.com',
    'perpscope check save hot --sql "SELECT …" --post https://alerts.example.com/perpscope',
  ],
  actions: [save, remove, list, run, allow],
}
