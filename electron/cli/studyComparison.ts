import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import { compareReturns, netReturns, type ReturnsComparison } from '#shared/lab/portfolio/compareReturns.ts'
import { benchmarkFigures, returnsOfPrices } from '#shared/portfolio/benchmark.ts'
import { type DailySeries, dailySeriesOf } from '#shared/portfolio/dailySeries.ts'
import { figures } from '#shared/portfolio/figures.ts'
import { action, exit, type Invocation, type OptionTable } from './command.ts'
import { findConnection } from './connections.ts'
import { Failure } from './failure.ts'
import { portfolioNotes } from './portfolioAnswers.ts'
import { numberLines, shownFigureText } from './tearsheet/tearSheetLines.ts'
import { studyText } from './text/commands.ts'
import { UsageError } from './usageError.ts'

const text = studyText.compare

const options = {
  test: { type: 'text', value: 'ID', description: text.options.test },
  portfolio: { type: 'text', value: 'P', description: text.options.portfolio },
  ticker: { type: 'text', value: 'T', description: text.options.ticker },
} as const satisfies OptionTable

type CompareInvocation = Invocation<typeof options>
type ComparedKind = keyof typeof options

/** Counterpart of a test in a comparison: the daily returns of another test, of a served portfolio or of a ticker. */
interface Counterpart {
  kind: ComparedKind
  id: string
  name: string | null
  returns: DailySeries
}

/** Compares a tested portfolio with the test, portfolio or ticker that an option names, on their common days. */
export const compareAction = action({
  name: 'compare',
  summary: text.summary,
  args: [{ name: 'ID', description: text.args.ID }],
  options,
  async run(invocation: CompareInvocation) {
    const kinds = (['test', 'portfolio', 'ticker'] as const).filter((kind) => invocation.options[kind] !== undefined)
    if (kinds.length !== 1) throw new UsageError(text.chooseOne)
    const [kind] = kinds
    const otherId = invocation.options[kind] ?? ''
    const { id, name, result } = await readTest(invocation, invocation.args[0])
    const other =
      kind === 'test'
        ? await readCounterpartTest(invocation, otherId)
        : await readServedCounterpart(invocation, kind, otherId)
    const comparison = compareReturns(result, other.returns)
    if (!comparison) throw new Failure(text.noDays(name ?? id, other.name ?? other.id))
    const { days, firstDay, lastDay, against } = comparison
    const document = {
      test: { id, name, trials: result.overfitting.trials, effectiveTrials: result.overfitting.effectiveTrials },
      other: { kind, id: other.id, name: other.name },
      ...{ days, firstDay, lastDay, against },
      figures: { test: comparison.test, other: comparison.other },
    }
    invocation.out.result(document, () => [
      ...comparisonLines(comparison, name ?? id, other.name ?? other.id),
      '',
      text.trials(name ?? id, result.overfitting.trials),
    ])
    return exit.done
  },
})

async function readTest({ app }: CompareInvocation, id: string) {
  const { name, result } = (await app()).studyRuns.read(id)
  if (result.kind !== 'portfolio') throw new Failure(text.noTest(id))
  return { id, name, result }
}

async function readCounterpartTest(invocation: CompareInvocation, wanted: string): Promise<Counterpart> {
  const { id, name, result } = await readTest(invocation, wanted)
  return { kind: 'test', id, name, returns: netReturns(result) }
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
  const rows = figures.map(({ id, name, unit, counted }) => [
    name,
    ...[comparison.test, comparison.other].map((values) => shownFigureText(values[id], unit, counted)),
  ])
  const figureRows = benchmarkFigures.map(({ id, name, unit, formula }) => [
    name,
    shownFigureText(against[id], unit),
    formula,
  ])
  return [
    text.days(days, firstDay, lastDay),
    '',
    ...numberLines([['FIGURE', test, other], ...rows], 1),
    '',
    ...numberLines([[text.against(other), 'VALUE', 'DEFINITION'], ...figureRows], 1, 1),
  ]
}
