import { instrumentsCommandText as text } from '../text/commands.ts'
import { MOST_INSTRUMENT_CHARACTERS } from '#shared/contract/areas/instruments.ts'
import { instrumentTable } from '#shared/contract/instrumentsSheet.ts'
import { orderRuleTable } from '#shared/portfolio/book/bookSheets.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { amountOption } from '../bookOptions.ts'
import { action, exit, type CliCommand } from '../command.ts'
import { importAction } from '../importAction.ts'
import { sectionLines } from '../sheetLines.ts'

const importFile = importAction({
  text: text.import,
  mostCharacters: MOST_INSTRUMENT_CHARACTERS,
  send: (core, content) => core.call('instruments.import', { text: content }),
  line: ({ imported }) => plainPlural(imported, 'row'),
  notes: ({ warnings }) => warnings,
})

const list = action({
  name: 'list',
  readsOnly: true,
  summary: text.list.summary,
  async run({ client, out }) {
    const core = await client()
    const all = await core.call('instruments.list', {})
    out.result(all, () => sectionLines(instrumentTable(all, text.list.none)))
    return exit.done
  },
})

const rules = action({
  name: 'rules',
  readsOnly: true,
  summary: text.rules.summary,
  async run({ client, out }) {
    const core = await client()
    const all = await core.call('book.orderRules', {})
    out.result(all, () => sectionLines(orderRuleTable(all, text.rules.none)))
    return exit.done
  },
})

const amount = (description: string) => ({ type: 'text', value: 'AMOUNT', description }) as const

const rule = action({
  name: 'rule',
  summary: text.rule.summary,
  args: [{ name: 'SYMBOL', description: text.rule.args.SYMBOL }],
  options: {
    ticker: { type: 'text', value: 'TICKER', description: text.rule.options.ticker },
    multiplier: amount(text.rule.options.multiplier),
    lot: amount(text.rule.options.lot),
    'min-units': amount(text.rule.options['min-units']),
    'min-order': amount(text.rule.options['min-order']),
  },
  async run({ client, args: [symbol], options, out }) {
    const given = amountOption(options)
    const above0 = (name: 'multiplier' | 'lot' | 'min-units' | 'min-order') =>
      given(name, 'a number above 0', (value) => value > 0) ?? null
    const typed = {
      ...{ symbol, ticker: options.ticker ?? null },
      ...{ multiplier: above0('multiplier'), lot: above0('lot') },
      ...{ minUnits: above0('min-units'), minOrder: above0('min-order') },
    }
    const core = await client()
    await core.call('book.setOrderRule', typed)
    const isRemoved = Object.values(options).every((value) => value === undefined)
    out.result(typed, () => [isRemoved ? text.rule.removed(symbol) : text.rule.done(symbol)])
    return exit.done
  },
})

export const command: CliCommand = {
  verb: 'instruments',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope instruments import instruments.csv',
    'perpscope instruments list --json',
    'perpscope instruments rule kBONK --ticker BONK --multiplier 1000 --lot 1',
  ],
  actions: [importFile, list, rules, rule],
}
