/** Computes the report of a plan of trades, which a replay computes from the same facts. */
import { planSheet } from '#shared/portfolio/book/bookSheets.ts'
import type { PlanReportQuery, ReportContent, ReportPart, ReportSource } from '#shared/report/reportContent.ts'
import { definitionVersions } from '#shared/report/reportContent.ts'
import { sheetParts } from '#shared/report/sheetReport.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { createKeptRuns } from '#core/lab/book/keptWeights.ts'
import { halfSpreads } from '#core/lab/book/cachedSpreads.ts'
import { asBookInput } from '#core/lab/book/ownFiles.ts'
import { type PlanFacts, planFacts, planOf } from '#core/lab/book/planService.ts'
import { createServedTables } from '#core/lab/book/servedTables.ts'
import type { OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { Clock } from '#core/ports.ts'
import type { SeriesService } from '#core/series/seriesService.ts'
import { canonicalJson } from '#core/store/ledger/canonicalJson.ts'
import type { Store } from '#core/store/store.ts'
import { factsFile, type ReplayedAnswers } from './answers.ts'
import type { ReportFiles } from './sourceFiles.ts'

interface PlanPartDeps {
  store: Store
  clock: Clock
  series: SeriesService
  openPortfolio: OpenPortfolio
  sources: ReportFiles
}

export const computePlan = (
  deps: PlanPartDeps,
  query: PlanReportQuery,
  context: ReplayedAnswers & { signal: AbortSignal },
): Promise<ReportContent> =>
  asBookInput(async () => {
    const sources: ReportSource[] = []
    const facts = await factsOf(deps, query, context, sources)
    const { title, subtitle, verdict, sections } = planSheet(planOf(query, facts))
    return {
      ...{ title, subtitle, sources, warnings: [] },
      parts: [{ kind: 'text', title: 'Verdict', lines: [verdict ?? ''] }, ...sheetParts(sections), settingsPart(query)],
      definitions: definitionVersions(['plan']),
      isSynthetic: asksService(query) && deps.store.connections.find(context.connectionId).builtIn,
    }
  })

async function factsOf(
  deps: PlanPartDeps,
  query: PlanReportQuery,
  { connectionId, replayedSources, signal }: ReplayedAnswers & { signal: AbortSignal },
  sources: ReportSource[],
): Promise<PlanFacts> {
  const { store, clock, series, openPortfolio, sources: files } = deps
  const asked = asksService(query)
  if (replayedSources !== null && (asked || replayedSources.length > 0))
    return factsFile.read(files, replayedSources, canonicalJson(query), sources)
  const nowMs = clock.nowMs()
  const open = () => openPortfolio(connectionId)
  const facts = await planFacts(query, {
    portfolio: open,
    served: createServedTables(open, signal),
    runs: createKeptRuns(store.studyRuns),
    rules: () => (replayedSources === null ? store.orderRules.list() : []),
    halfSpreads: (tickers) => halfSpreads(series.deps, connectionId, tickers, signal),
    ...{ nowMs, signal },
  })
  if (asked || facts.rules) {
    const source = { service: asked ? store.connections.find(connectionId).name : '', fetchedAt: nowMs }
    sources.push(factsFile.keep(files, canonicalJson(query), facts, source))
  }
  return facts
}

const asksService = ({ weights, prices, costBps }: PlanReportQuery): boolean =>
  typeof weights === 'string' || prices === null || costBps === null

/** The settings of the plan, because the same weights make other trades with others. */
const settingsPart = (query: PlanReportQuery): ReportPart => ({
  ...{ kind: 'table', title: 'Settings', columns: ['Setting', 'Value'] },
  rows: (
    [
      ['Weights', typeof query.weights === 'string' ? query.weights : query.weights.file],
      ['Capital', exactNumber(query.capital)],
      ['Band', exactNumber(query.band)],
      ['Trade to', query.mode === 'edge' ? 'the edge of the band' : 'the target'],
      ['Least order', exactNumber(query.minOrder)],
      ['Cap', query.cap === null ? 'none' : exactNumber(query.cap)],
      ['Cost (bps)', query.costBps === null ? 'half the last cached spread' : exactNumber(query.costBps)],
      ['Positions', query.positions?.file ?? 'none'],
      ['Aliases', query.aliases?.file ?? 'none'],
      ['Lots', query.lots?.file ?? 'those typed in Settings → Instruments'],
      ['Prices', query.prices?.file ?? 'last closing prices of the service'],
    ] as const
  ).map(([name, value]) => [name, value]),
})
