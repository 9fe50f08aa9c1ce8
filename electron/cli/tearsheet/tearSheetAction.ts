import { noteText, usageText } from '../text/messages.ts'
import { tearSheetActionText as text } from '../text/commands.ts'
import { portfolioExchanges, portfolioParameters, smoothings } from '#shared/catalog/portfolioEndpoints.ts'
import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import { returnsOfPrices } from '#shared/portfolio/benchmark.ts'
import { dailySeriesOf, returnsWarnings } from '#shared/portfolio/dailySeries.ts'
import { rollingWindows } from '#shared/portfolio/rolling.ts'
import { tearSheet } from '#shared/portfolio/tearSheet.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { parseNumber } from '#shared/units/numbers.ts'
import { action, exit } from '../command.ts'
import { findConnection } from '../connections.ts'
import { dayOptions, dayRange } from '../dayOptions.ts'
import { portfolioNotes } from '../portfolioAnswers.ts'
import { rowFormats } from '../rowWriter.ts'
import { UsageError } from '../usageError.ts'
import { tearSheetDocument } from './tearSheetDocument.ts'
import { tearSheetLines, tearSheetCsv } from './tearSheetLines.ts'

const rollingChoices = rollingWindows.map(String)

export const tearSheetAction = action({
  name: 'tearsheet',
  summary: text.tearsheet.summary,
  options: {
    portfolio: {
      type: 'text',
      value: 'PORTFOLIO',
      required: true,
      description: portfolioParameters.portfolio.description,
    },
    smoothing: {
      type: 'text',
      value: 'DAYS',
      values: smoothings,
      description: portfolioParameters.smoothing.description,
    },
    exchange: {
      type: 'text',
      value: 'V',
      values: portfolioExchanges,
      description: portfolioParameters.exchange.description,
    },
    ...dayOptions,
    benchmark: {
      type: 'text',
      value: 'TICKER',
      description: text.tearsheet.options.benchmark,
    },
    'risk-free': { type: 'text', value: 'PERCENT', description: text.tearsheet.options['risk-free'] },
    rolling: {
      type: 'text',
      value: 'DAYS',
      values: rollingChoices,
      description: text.tearsheet.options.rolling,
    },
    format: { type: 'text', value: 'F', values: rowFormats, description: text.tearsheet.options.format },
    refresh: { type: 'flag', description: text.tearsheet.options.refresh },
  },
  async run({ client, connection, options, out, signal }) {
    const { portfolio = '', smoothing, exchange, benchmark, refresh } = options
    const range = dayRange(options)
    const riskFree = rateOf(options['risk-free'])
    const rollingWindow = options.rolling === undefined ? undefined : Number(options.rolling)
    if (out.json && options.format !== undefined && options.format !== 'json')
      throw new UsageError(usageText.formatClash(options.format))
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)

    /** Asks for the whole history, because rolling figures look back beyond the range, as in the window. */
    async function ask(request: HistoryRequest) {
      const { rows, freshness } = await core.call('portfolio.history', { connectionId, request, refresh }, { signal })
      portfolioNotes(freshness).forEach(out.note)
      return { ...dailySeriesOf(rows), freshness }
    }

    const returns = await ask({
      endpoint: 'returns',
      portfolio,
      ...(smoothing !== undefined && { smoothing }),
      ...(exchange !== undefined && { exchange }),
    })
    const prices = benchmark === undefined ? null : await ask({ endpoint: 'prices', ticker: [benchmark] })
    const warnings = returnsWarnings(returns.series, returns.problems)
    for (const warning of warnings) out.note(noteText.returns(warning))
    const sheet = tearSheet(returns.series, {
      ...(range.start !== undefined && { startDay: dayNumberOf(range.start) }),
      ...(range.end !== undefined && { endDay: dayNumberOf(range.end) + 1 }),
      riskFree,
      rollingWindow,
      benchmark: prices ? returnsOfPrices(prices.series) : undefined,
    })
    const document = tearSheetDocument(
      { portfolio, smoothing, exchange, benchmark, riskFree },
      sheet,
      warnings,
      returns.freshness,
    )
    if (document.start === null) out.note(noteText.noDaysWithReturn)
    if (options.format === 'csv') out.data(tearSheetCsv(document))
    else if (options.format === 'json' && !out.json) out.data(`${JSON.stringify(document)}\n`)
    else out.result(document, () => tearSheetLines(document))
    return exit.done
  },
})

/** Parses an annual rate in percent into a fraction. */
function rateOf(text: string | undefined): number {
  const percent = text === undefined ? 0 : parseNumber(text.replace(/\s*%$/, ''))
  if (percent === null || percent <= -100 || percent > 1000) throw new UsageError(usageText.notRate(text ?? ''))
  return percent / 100
}
