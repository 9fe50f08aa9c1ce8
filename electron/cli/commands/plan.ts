import { planColumns, planModes } from '#shared/portfolio/book/plan.ts'
import { planSheet } from '#shared/portfolio/book/bookSheets.ts'
import type { PlanReportQuery } from '#shared/report/reportContent.ts'
import { parseWeightName } from '#shared/portfolio/book/seriesName.ts'
import { csvLine } from '#shared/units/csvCell.ts'
import { amountOption, bookConnection, givenCsv } from '../bookOptions.ts'
import { type CliCommand, exit, soleAction } from '../command.ts'
import { rowFormats } from '../rowWriter.ts'
import { sheetLines } from '../sheetLines.ts'
import { bookText } from '../text/commands.ts'
import { usageText } from '../text/messages.ts'
import { UsageError } from '../usageError.ts'

const text = bookText.plan

export const planOptions = {
  weights: { type: 'path', value: 'WEIGHTS', reads: true, required: true, description: text.options.weights },
  capital: { type: 'text', value: 'AMOUNT', required: true, description: text.options.capital },
  positions: { type: 'path', value: 'FILE', reads: true, description: text.options.positions },
  aliases: { type: 'path', value: 'FILE', reads: true, description: text.options.aliases },
  prices: { type: 'path', value: 'FILE', reads: true, description: text.options.prices },
  lots: { type: 'path', value: 'FILE', reads: true, description: text.options.lots },
  band: { type: 'text', value: 'WEIGHT', description: text.options.band },
  mode: { type: 'text', value: 'M', values: planModes, description: text.options.mode },
  'min-order': { type: 'text', value: 'AMOUNT', description: text.options['min-order'] },
  cap: { type: 'text', value: 'WEIGHT', description: text.options.cap },
  'cost-bps': { type: 'text', value: 'BPS', description: text.options['cost-bps'] },
} as const

type PlanOptions = Record<'weights' | 'capital', string> &
  Record<
    'positions' | 'aliases' | 'prices' | 'lots' | 'band' | 'min-order' | 'cap' | 'cost-bps',
    string | undefined
  > & {
    mode: (typeof planModes)[number] | undefined
  }

export function planQuery(options: PlanOptions): Omit<PlanReportQuery, 'kind'> {
  const amount = amountOption(options)
  const capital = amount('capital', 'a number above 0', (value) => value > 0)
  const band = amount('band', 'a number from 0', (value) => value >= 0)
  const minOrder = amount('min-order', 'a number from 0', (value) => value >= 0)
  const cap = amount('cap', 'a number above 0', (value) => value > 0)
  const costBps = amount('cost-bps', 'a number from 0 to 10000', (value) => value >= 0 && value <= 10_000)
  const { weights, mode = 'centre' } = options
  return {
    weights: parseWeightName(weights) ? weights : givenCsv(weights),
    capital: capital ?? 0,
    positions: givenCsv(options.positions),
    aliases: givenCsv(options.aliases),
    prices: givenCsv(options.prices),
    lots: givenCsv(options.lots),
    band: band ?? 0,
    mode,
    minOrder: minOrder ?? 0,
    cap: cap ?? null,
    costBps: costBps ?? null,
  }
}

const plan = soleAction({
  summary: text.summary,
  readsOnly: true,
  options: {
    ...planOptions,
    format: { type: 'text', value: 'F', values: rowFormats, description: text.options.format },
  },
  async run(invocation) {
    const { options, out, signal, client } = invocation
    const query = planQuery(options)
    if (out.json && options.format !== undefined && options.format !== 'json')
      throw new UsageError(usageText.formatClash(options.format))
    const core = await client()
    const found = await core.call('book.plan', { connectionId: await bookConnection(invocation), ...query }, { signal })
    for (const { message } of found.warnings) out.note(message)
    if (options.format === 'csv') {
      const rows = found.rows.map((row) =>
        csvLine(
          planColumns.map((key) => row[key]),
          'exact',
        ),
      )
      out.data([csvLine(planColumns, 'exact'), ...rows].join(''))
    } else if (options.format === 'json' && !out.json) out.data(`${JSON.stringify(found)}\n`)
    else out.result(found, () => sheetLines(planSheet(found)))
    return exit.done
  },
})

export const command: CliCommand = {
  verb: 'plan',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope plan --weights live:momentum_ls.20 --capital 250000 --positions positions.csv --band 0.02',
    'perpscope plan --weights close:momentum_ls.20 --capital 250000 --lots lots.csv --min-order 10 --json',
    'perpscope plan --weights targets.csv --capital 10000 --prices prices.csv --mode edge --band 0.04 --format csv',
  ],
  actions: [plan],
}
