import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import { compareReturns, netReturns, type ReturnsComparison } from '#shared/lab/portfolio/compareReturns.ts'
import { benchmarkFigures, returnsOfPrices } from '#shared/portfolio/benchmark.ts'
import { type DailySeries, dailySeriesOf } from '#shared/portfolio/dailySeries.ts'
import { figures, type FigureValues } from '#shared/portfolio/figures.ts'
import { type DescribedFigure, figureOf } from '#shared/portfolio/tearSheetSections.ts'
import { figureText } from '#shared/sheet/sheet.ts'
import { exit, type ExitStatus, type Invocation } from '../command.ts'
import { findConnection } from '../connections.ts'
import { Failure } from '../failure.ts'
import { portfolioNotes } from '../portfolioAnswers.ts'
import { numberLines } from '../sheetLines.ts'
import { compareDocuments } from './compareDocuments.ts'
import { runOrPrintRefusal } from '../studyRefusal.ts'
import { studyText } from '../text/commands.ts'
import { UsageError } from '../usageError.ts'
import type { compareOptions } from './studyOptions.ts'

const text = studyText.compare

type CompareInvocation = Invocation<typeof compareOptions>
type ComparedKind = keyof typeof compareOptions

/** Counterpart in a comparison: the daily returns of another test or blend, of a served portfolio or of a ticker. */
interface Counterpart {
  kind: ComparedKind
  id: string
  name: string | null
  returns: DailySeries
}

/** Compares a tested portfolio or a blend with the test, blend, portfolio or ticker that an option names, on their common days. */
export async function compareStudy(invocation: CompareInvocation): Promise<ExitStatus> {
  const kinds = (['test', 'blend', 'portfolio', 'ticker'] as const).filter(
    (kind) => invocation.options[kind] !== undefined,
  )
  const isOfDocuments = invocation.args.length > 1
  if (kinds.length + (isOfDocuments ? 1 : 0) !== 1) throw new UsageError(text.chooseOne)
  if (isOfDocuments) return runOrPrintRefusal(invocation, () => compareDocuments(invocation))
  const [kind] = kinds
  const otherId = invocation.options[kind] ?? ''
  const { id, name, result } = await readRun(invocation, invocation.args[0])
  const other =
    kind === 'test' || kind === 'blend'
      ? await readCounterpartRun(invocation, kind, otherId)
      : await readServedCounterpart(invocation, kind, otherId)
  const comparison = compareReturns(result, other.returns)
  if (!comparison) throw new Failure(text.noDays(name ?? id, other.name ?? other.id))
  const { days, firstDay, lastDay, against } = comparison
  const overfitting = result.kind === 'portfolio' ? result.overfitting : null
  const document = {
    test: { id, name, trials: overfitting?.trials ?? null, effectiveTrials: overfitting?.effectiveTrials ?? null },
    other: { kind, id: other.id, name: other.name },
    ...{ days, firstDay, lastDay, against },
    figures: { test: comparison.test, other: comparison.other },
  }
  invocation.out.result(document, () => [
    ...comparisonLines(comparison, name ?? id, other.name ?? other.id),
    ...(overfitting ? ['', text.trials(name ?? id, overfitting.trials)] : []),
  ])
  return exit.done
}
/** Reads a run that has daily returns: a tested portfolio or a blend. */
export async function readRun({ app }: Pick<Invocation, 'app'>, id: string) {
  const { name, result } = (await app()).studyRuns.read(id)
  if (result.kind !== 'portfolio' && result.kind !== 'blend') throw new Failure(text.noTest(id))
  return { id, name, result }
}

async function readCounterpartRun(
  invocation: CompareInvocation,
  kind: 'test' | 'blend',
  wanted: string,
): Promise<Counterpart> {
  const { id, name, result } = await readRun(invocation, wanted)
  if ((result.kind === 'blend') !== (kind === 'blend')) throw new Failure(text.otherRun(id, kind))
  return { kind, id, name, returns: netReturns(result) }
}

async function readServedCounterpart(
  { client, connection, out, signal }: CompareInvocation,
  kind: 'portfolio' | 'ticker',
  id: string,
): Promise<Counterpart> {
  const core = await client()
  const { id: connectionId } = await findConnection(core, connection)
  const request: HistoryRequest =
    kind === 'ticker' ? { endpoint: 'prices', ticker: [id] } : { endpoint: 'returns', portfolio: id }
  const query = { connectionId, request, refresh: false }
  const { rows, freshness } = await core.call('portfolio.history', query, { signal })
  for (const note of portfolioNotes(freshness)) out.note(note)
  const { series } = dailySeriesOf(rows)
  return { kind, id, name: null, returns: kind === 'ticker' ? returnsOfPrices(series) : series }
}

function comparisonLines(comparison: ReturnsComparison, test: string, other: string): string[] {
  const { days, firstDay, lastDay, against } = comparison
  const textOf = (figure: DescribedFigure, values: FigureValues) => figureText(figureOf(figure, values)) ?? '–'
  const rows = figures.map((figure) => [
    figure.name,
    ...[comparison.test, comparison.other].map((values) => textOf(figure, values)),
  ])
  const figureRows = benchmarkFigures.map((figure) => [figure.name, textOf(figure, against), figure.formula])
  return [
    text.days(days, firstDay, lastDay),
    '',
    ...numberLines([['FIGURE', test, other], ...rows], 1),
    '',
    ...numberLines([[text.against(other), 'VALUE', 'DEFINITION'], ...figureRows], 1, 1),
  ]
}
