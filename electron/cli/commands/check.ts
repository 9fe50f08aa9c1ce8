import { type CheckRule, MOST_CHECK_NAME_CHARACTERS, type RanCheck } from '#shared/contract/areas/inbox.ts'
import { singleLine } from '#shared/units/fileNames.ts'
import { zonedTime } from '#shared/units/instants.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { action, type Command, exit } from '../command.ts'
import { checkStatus } from '../checkStatus.ts'
import { findConnection } from '../connections.ts'
import { tableLines } from '../print.ts'
import { checkText as text } from '../text/recordCommands.ts'
import { UsageError } from '../usageError.ts'

const nameArgument = { name: 'NAME', description: text.args.NAME } as const

interface RuleOptions {
  formula: string | undefined
  sql: string | undefined
  exchange: string | undefined
  symbol: string | undefined
  interval: string | undefined
  timestamp: 'exchange' | 'true' | undefined
}

const save = action({
  name: 'save',
  summary: text.save.summary,
  args: [nameArgument],
  options: {
    formula: { type: 'text', value: 'F', description: text.save.options.formula },
    sql: { type: 'text', value: 'Q', description: text.save.options.sql },
    exchange: { type: 'text', value: 'V', description: text.save.options.exchange },
    symbol: { type: 'text', value: 'S', description: text.save.options.symbol },
    interval: { type: 'text', value: 'I', description: text.save.options.interval },
    timestamp: { type: 'text', value: 'T', values: ['exchange', 'true'], description: text.save.options.timestamp },
  },
  async run({ app, client, connection, args, options, out }) {
    const checkName = singleLine(args[0])
    if (checkName === '' || checkName.length > MOST_CHECK_NAME_CHARACTERS)
      throw new UsageError(text.badName(MOST_CHECK_NAME_CHARACTERS))
    const typedRule = ruleOf(options)
    const { checks, checkRuns } = await app()
    const { id: connectionId } = await findConnection(await client(), connection)
    const read = (await checkRuns()).readRule(typedRule, connectionId)
    if ('problem' in read) throw new UsageError(read.problem)
    const { rule } = read
    checks.save({ name: checkName, connectionId, rule })
    out.result({ name: checkName, ...rule }, () => [text.saved(checkName)])
    return exit.done
  },
})

function ruleOf({ formula, sql, exchange, symbol, interval, timestamp }: RuleOptions): CheckRule {
  if ((formula === undefined) === (sql === undefined)) throw new UsageError(text.formulaOrSql)
  const seriesOption = Object.entries({ exchange, symbol, interval, timestamp }).find(
    ([, value]) => value !== undefined,
  )
  if (sql !== undefined) {
    if (seriesOption) throw new UsageError(text.optionOfFormula(seriesOption[0]))
    return { kind: 'sql', sql }
  }
  if (exchange === undefined || symbol === undefined || interval === undefined || timestamp === undefined)
    throw new UsageError(text.seriesMissing)
  return { kind: 'formula', formula: formula ?? '', exchange, symbol, interval, timestamp }
}

const list = action({
  name: 'list',
  summary: text.list.summary,
  async run({ app, out }) {
    const checks = (await app()).checks.list().map((check) => ({ name: check.name, ...check.rule }))
    out.result(checks, () =>
      checks.length === 0
        ? [text.list.none]
        : tableLines([['NAME', 'RULE'], ...checks.map((check) => [check.name, describe(check)])]),
    )
    return exit.done
  },
})

const describe = (rule: CheckRule): string =>
  rule.kind === 'sql'
    ? rule.sql.replace(/\s+/g, ' ').trim()
    : `${rule.formula}  (${[rule.exchange, rule.symbol, rule.interval, rule.timestamp].join(' ')})`

const remove = action({
  name: 'remove',
  summary: text.remove.summary,
  args: [nameArgument],
  async run({ app, args, out }) {
    const { checks } = await app()
    checks.remove(args[0])
    out.result({ removed: args[0] }, () => [text.remove.done(args[0])])
    return exit.done
  },
})

const run = action({
  name: 'run',
  summary: text.run.summary,
  interrupted: text.run.interrupted,
  args: [{ ...nameArgument, optional: true }],
  async run({ app, args, out, signal }) {
    const { checkRuns } = await app()
    const checks = await (await checkRuns()).run(args.at(0) ?? null, signal)
    out.result({ checks }, () => (checks.length === 0 ? [text.list.none] : tableLines(checks.map(lineOf))))
    return checkStatus(checks)
  },
})

function lineOf({ name: check, state, value, time, rows, why }: RanCheck): string[] {
  const valueText = rows === null ? (value === null ? '' : exactNumber(value)) : text.run.rows(rows)
  return [check, state, why ?? [valueText, time === null ? '' : zonedTime(time, 'utc')].filter(Boolean).join(' at ')]
}

export const command: Command = {
  verb: 'check',
  summary: text.summary,
  description: text.description,
  examples: [
    "perpscope check save hot --formula 'funding.funding_rate > 0.0005' --exchange VENUE --symbol perpetual-BTC-USDT:USDT --interval 1h --timestamp exchange",
    'perpscope check save gaps --sql "SELECT * FROM cache.files WHERE state = \'partial\'"',
    'perpscope check run',
  ],
  actions: [save, remove, list, run],
}
