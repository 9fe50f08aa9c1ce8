import type { OwnFile } from '#shared/contract/areas/book.ts'
import { MOST_TERMS } from '#shared/portfolio/book/attribution.ts'
import { attributionSheet, correlationsSheet } from '#shared/portfolio/book/bookSheets.ts'
import { correlationOrders } from '#shared/portfolio/book/seriesCorrelations.ts'
import { column, fieldColumns, type ReadColumn } from '#shared/sheet/sheet.ts'
import { csvLine } from '#shared/units/csvCell.ts'
import { bookConnection, checkSeries, givenCsv } from './bookOptions.ts'
import { action, exit } from './command.ts'
import { dayOptions, dayRange } from './dayOptions.ts'
import { rowFormats } from './rowWriter.ts'
import { recordLines, sheetLines } from './sheetLines.ts'
import { bookText as text } from './text/commands.ts'
import { usageText } from './text/messages.ts'
import { UsageError } from './usageError.ts'

const MOST_SERIES = 200
const MOST_DAYS = 100_000

export const correlationsAction = action({
  name: 'correlations',
  readsOnly: true,
  summary: text.correlations.summary,
  args: [{ name: 'SERIES', description: text.correlations.args.SERIES, many: true }],
  options: {
    ...dayOptions,
    'min-days': {
      type: 'integer',
      value: 'M',
      min: 2,
      max: MOST_DAYS,
      description: text.correlations.options['min-days'],
    },
    pairwise: { type: 'flag', description: text.correlations.options.pairwise },
    common: { type: 'flag', description: text.correlations.options.common },
    order: { type: 'text', value: 'ORDER', values: correlationOrders, description: text.correlations.options.order },
    format: { type: 'text', value: 'F', values: rowFormats, description: text.correlations.options.format },
  },
  async run(invocation) {
    const { args: series, options, out, signal, client } = invocation
    checkSeries(series)
    if (series.length < 2 || series.length > MOST_SERIES) throw new UsageError(text.correlations.twoSeries)
    if (options.pairwise && options.common) throw new UsageError(text.correlations.bothDays)
    if (out.json && options.format !== undefined && options.format !== 'json')
      throw new UsageError(usageText.formatClash(options.format))
    const range = dayRange(options)
    const core = await client()
    const found = await core.call(
      'book.correlations',
      {
        connectionId: await bookConnection(invocation),
        series,
        ...range,
        minDays: options['min-days'] ?? 60,
        common: options.common,
        order: options.order ?? 'given',
      },
      { signal },
    )
    const { names, r, order } = found
    if (options.format === 'csv') {
      const rows = order.map((row) => csvLine([names[row], ...order.map((at) => r[row][at])], 'exact'))
      out.data([csvLine(['', ...order.map((at) => names[at])], 'exact'), ...rows].join(''))
    } else if (options.format === 'json' && !out.json) out.data(`${JSON.stringify(found)}\n`)
    else out.result(found, () => sheetLines(correlationsSheet(found)))
    return exit.done
  },
})

export const attributionAction = action({
  name: 'attribution',
  readsOnly: true,
  summary: text.attribution.summary,
  args: [{ name: 'SERIES', description: text.attribution.args.SERIES }],
  options: {
    on: { type: 'list', value: 'SERIES[,…]', required: true, description: text.attribution.options.on },
    lags: { type: 'integer', value: 'L', min: 0, max: MOST_DAYS, description: text.attribution.options.lags },
    rolling: { type: 'integer', value: 'DAYS', min: 4, max: MOST_DAYS, description: text.attribution.options.rolling },
    ...dayOptions,
  },
  async run(invocation) {
    const { args, options, out, signal, client } = invocation
    const [series] = args
    checkSeries([series, ...options.on])
    if (options.on.length > MOST_TERMS) throw new UsageError(text.attribution.tooMany(MOST_TERMS))
    if (options.rolling !== undefined && options.rolling < options.on.length + 3)
      throw new UsageError(text.attribution.shortWindow(options.on.length + 3))
    const { lags = null, rolling = null } = options
    const range = dayRange(options)
    const core = await client()
    const found = await core.call(
      'book.attribution',
      { connectionId: await bookConnection(invocation), series, on: options.on, lags, rolling, ...range },
      { signal },
    )
    out.result(found, () => sheetLines(attributionSheet(series, found)))
    return exit.done
  },
})

const ownColumns: readonly ReadColumn<OwnFile>[] = [
  ...fieldColumns({ name: 'Name', kind: 'Kind' }),
  column('added', 'Added', 'time', ({ added }) => added),
]

const ownActions = ['add', 'list', 'remove'] as const

export const ownAction = action({
  name: 'own',
  summary: text.own.summary,
  args: [
    { name: 'ACTION', description: text.own.args.ACTION, values: ownActions },
    { name: 'NAME', description: text.own.args.NAME, optional: true },
    { name: 'FILE', description: text.own.args.FILE, optional: true, path: true, reads: true },
  ],
  options: {
    percent: { type: 'flag', description: text.own.options.percent },
    fraction: { type: 'flag', description: text.own.options.fraction },
  },
  readsOnly: (_options, [verb]) => verb === 'list',
  async run({ args, options, out, client }) {
    const [verb, name, path] = args as [(typeof ownActions)[number], string?, string?]
    if (options.percent && options.fraction) throw new UsageError(usageText.percentOrFraction)
    if (verb === 'list') {
      if (name !== undefined) throw new UsageError(text.own.tooMany(verb))
      const files = await (await client()).call('book.ownFiles', {})
      out.result(files, () => recordLines(ownColumns, files, text.own.none))
      return exit.done
    }
    if (name === undefined) throw new UsageError(verb === 'add' ? text.own.needsFile : text.own.needsName(verb))
    if (verb === 'remove') {
      if (path !== undefined) throw new UsageError(text.own.tooMany(verb))
      await (await client()).call('book.removeOwn', { name })
      out.result(null, () => [text.own.removed(name)])
      return exit.done
    }
    if (path === undefined) throw new UsageError(text.own.needsFile)
    const unit = options.percent ? 'percent' : options.fraction ? 'fraction' : null
    const added = await (await client()).call('book.addOwn', { name, file: givenCsv(path), unit })
    out.result(added, () => [text.own.added(name, added.kind)])
    return exit.done
  },
})
