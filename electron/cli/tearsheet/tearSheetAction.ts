import { noteText, usageText } from '../text/messages.ts'
import { tearSheetActionText as text } from '../text/commands.ts'
import { portfolioParameters, smoothings } from '#shared/catalog/portfolioEndpoints.ts'
import { tearSheet, rollingWindows } from '#shared/portfolio/tearSheet.ts'
import { tearSheetSheet } from '#shared/portfolio/tearSheetSections.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { netReturns } from '#shared/lab/portfolio/compareReturns.ts'
import { parseNumber } from '#shared/units/numbers.ts'
import { action, exit, type Invocation, type OptionTable } from '../command.ts'
import { findConnection } from '../connections.ts'
import { dayOptions, dayRange } from '../dayOptions.ts'
import { portfolioNotes } from '../portfolioAnswers.ts'
import { rowFormats } from '../rowWriter.ts'
import { readRun } from '../study/compareStudy.ts'
import { sheetLines } from '../sheetLines.ts'
import { MissingOptions, UsageError } from '../usageError.ts'
import { tearSheetDocument, warningText } from '../../../shared/portfolio/tearSheetDocument.ts'
import { ownReturnsFile, withReturnsMessages } from './ownReturns.ts'
import { type LoadHistory, ownSource, runSource, servedSource } from '#core/record/returnsSource.ts'
import { tearSheetCsv } from './tearSheetCsv.ts'

const rollingChoices = rollingWindows.map(String)

export const tearSheetOptions = {
  portfolio: {
    type: 'text',
    value: 'PORTFOLIO',
    description: `${portfolioParameters.portfolio.description} ${text.tearsheet.options.runs}`,
  },
  returns: { type: 'path', value: 'FILE', reads: true, description: text.tearsheet.options.returns },
  percent: { type: 'flag', description: text.tearsheet.options.percent },
  fraction: { type: 'flag', description: text.tearsheet.options.fraction },
  cost: { type: 'text', value: 'BPS', description: text.tearsheet.options.cost },
  smoothing: {
    type: 'text',
    value: 'DAYS',
    values: smoothings,
    description: portfolioParameters.smoothing.description,
  },
  exchange: {
    type: 'text',
    value: 'V',
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
} as const satisfies OptionTable

export const tearSheetAction = action({
  name: 'tearsheet',
  readsOnly: true,
  summary: text.tearsheet.summary,
  options: tearSheetOptions,
  async run(invocation: TearSheetInvocation) {
    const { options, out } = invocation
    checkSource(options)
    const range = dayRange(options)
    const riskFree = parseRate(options['risk-free'])
    const rollingWindow = options.rolling === undefined ? undefined : Number(options.rolling)
    if (out.json && options.format !== undefined && options.format !== 'json')
      throw new UsageError(usageText.formatClash(options.format))
    const loadHistory = createHistoryLoader(invocation)
    const { portfolio = '', smoothing, exchange, benchmark } = options
    const run = runIdOf(portfolio)
    const source = await (run !== undefined
      ? runSource(portfolio, netReturns((await readRun(invocation, run)).result), benchmark, loadHistory)
      : options.returns === undefined
        ? servedSource({ portfolio, smoothing, exchange, benchmark }, loadHistory)
        : withReturnsMessages(() => ownSource(ownReturnsFile(options.returns ?? '', options), loadHistory)))
    for (const warning of source.warnings) out.note(noteText.returns(warningText(warning)))
    const sheet = tearSheet(source.returns, {
      ...(range.start !== undefined && { startDay: dayNumberOf(range.start) }),
      ...(range.end !== undefined && { endDay: dayNumberOf(range.end) + 1 }),
      riskFree,
      rollingWindow,
      benchmark: source.benchmark ?? undefined,
      today: Math.floor(Date.now() / MS_PER_DAY),
    })
    const request = { ...source.request, riskFree }
    const document = tearSheetDocument(request, sheet, source.warnings, source.freshness)
    if (document.start === null) out.note(noteText.noDaysWithReturn)
    if (options.format === 'csv') out.data(tearSheetCsv(document))
    else if (options.format === 'json' && !out.json) out.data(`${JSON.stringify(document)}\n`)
    else out.result(document, () => sheetLines(tearSheetSheet(request, sheet, true)))
    return exit.done
  },
})

type TearSheetInvocation = Invocation<typeof tearSheetOptions>
type TearSheetValues = TearSheetInvocation['options']

/** Returns the id in `blend:ID` or `test:ID`; undefined for a portfolio of the service. */
const runIdOf = (portfolio: string): string | undefined => /^(?:blend|test):(?<id>.+)$/.exec(portfolio)?.groups?.id

export function checkSource({ portfolio, returns, smoothing, exchange, ...options }: TearSheetValues): void {
  if (portfolio !== undefined && returns !== undefined) throw new UsageError(usageText.returnsOrPortfolio)
  if (portfolio === undefined && returns === undefined) throw new MissingOptions(['portfolio PORTFOLIO'])
  if (portfolio !== undefined && runIdOf(portfolio) !== undefined && (smoothing ?? exchange) !== undefined)
    throw new UsageError(text.tearsheet.runOption)
  if (options.percent && options.fraction) throw new UsageError(usageText.percentOrFraction)
  const portfolioOption = Object.entries({ smoothing, exchange }).find(([, given]) => given !== undefined)
  const returnsOption = (['percent', 'fraction', 'cost'] as const).find((name) => options[name] ?? false)
  if (returns !== undefined && portfolioOption) throw new UsageError(usageText.optionOfPortfolio(portfolioOption[0]))
  if (returns === undefined && returnsOption) throw new UsageError(usageText.optionOfReturns(returnsOption))
}

/**
 * Creates the function that requests histories. As in the window, it requests whole histories, because rolling figures
 * also use days before the range.
 */
function createHistoryLoader({
  client,
  connection,
  options: { refresh },
  out,
  signal,
}: TearSheetInvocation): LoadHistory {
  const printedNotes = new Set<string>()
  return async (request) => {
    const core = await client()
    const { id: connectionId } = await findConnection(core, connection)
    const { rows, freshness } = await core.call('portfolio.history', { connectionId, request, refresh }, { signal })
    for (const note of portfolioNotes(freshness)) {
      // Prices of many tickers take several requests, whose answers have the same notes.
      if (!printedNotes.has(note)) out.note(note)
      printedNotes.add(note)
    }
    return { rows, freshness }
  }
}

/** Parses an annual rate in percent into a fraction. */
export function parseRate(text: string | undefined): number {
  const percent = text === undefined ? 0 : parseNumber(text.replace(/\s*%$/, ''))
  if (percent === null || percent <= -100 || percent > 1000) throw new UsageError(usageText.notRate(text ?? ''))
  return percent / 100
}
