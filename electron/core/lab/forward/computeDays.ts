import type { ResultOf } from '#shared/lab/runStudy.ts'
import type { PortfolioStudy } from '#shared/lab/kinds/portfolio/fields.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { combinationsOf, combinationStudy } from '#shared/lab/portfolio/parameterGrid.ts'
import type { CombinationReturns } from '#shared/lab/portfolio/walkForward.ts'
import type { LedgerTables } from '#core/store/ledger/ledgerTables.ts'
import { documentHash } from '#core/store/ledger/studyIdentity.ts'
import { returnsFromBytes } from '#core/store/ledger/ledgerEntry.ts'
import { needsFunding } from '../studyFunding.ts'
import { parsePortfolioStudy, parseStudy } from '#shared/lab/parseStudy.ts'
import type { SignalStudy } from '#shared/lab/kinds/signal/fields.ts'
import { type SignalSample, signalSamples } from '#shared/lab/forward/signalSamples.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber, dayNumberOf } from '#shared/time/periods.ts'
import type { CacheStudy } from '../cachePlan.ts'
import { cacheTask } from '../cacheSource.ts'
import { runPanelStudy } from '../panelStudy.ts'
import { cacheFormulas, findTestRows, namesFunding } from '../portfolio/cacheTest.ts'
import { columnsOf, type PortfolioTask, runPortfolioTask, type TestRows } from '../portfolio/portfolioTask.ts'
import type { ForwardRun } from './forwardRuns.ts'
import type { ScoreDeps } from './scoreDeps.ts'

/** A run computed anew, on all rows to a day. */
export interface ComputedRun {
  /** Net return of a day; null if it has none, or for a signal study. */
  netOf(day: DayNumber): number | null
  /** Samples of a signal study by the day on which they ended. */
  endedOn(day: DayNumber): readonly SignalSample[]
  /** All samples of a signal study, in time order. */
  samples: readonly SignalSample[]
}

/** Computes recorded runs anew; the rows that the last run read are kept for the next one. */
export function createComputer(deps: ScoreDeps) {
  const { connectionId } = deps
  const { tables } = deps.ledger
  let last: { key: string; rows: TestRows } | null = null

  async function portfolio(run: ForwardRun, endDay: DayNumber, signal: AbortSignal): Promise<ComputedRun> {
    const { key } = readOf(run)
    const study = parsePortfolioStudy(documentTo(run, endDay), { fromCache: true })
    const { interval, start, end, source, fundingRate } = study
    const funding = [namesFunding(study), needsFunding(cacheFormulas(study)), fundingRate]
    const recorded = recordedFundingOf(run)
    const rowKey = JSON.stringify([key, interval, start, end, source, columnsOf(study), funding, recorded?.key])
    if (last?.key !== rowKey) {
      last = null
      const request = { study, connectionId, sealedFromMs: null, ...namesOf(run), ...recorded?.request() }
      last = { key: rowKey, rows: (await findTestRows(deps, request, signal)).rows }
    }
    const answer = await runPortfolioTask(portfolioTask(run, study, last.rows))
    if (!('record' in answer)) throw new Error('The task answered something else.')
    const { firstDay, net } = answer.record
    return {
      netOf: (day) => (firstDay === null ? null : (net[day - firstDay] ?? null)),
      endedOn: () => [],
      samples: [],
    }
  }

  /** The funding periods of the record hold until its last day, those known now after it; null if it has none. */
  function recordedFundingOf({ entry, times }: ForwardRun) {
    const sha256 = entry.inputs.find(({ name }) => name === 'funding-periods')?.sha256
    if (sha256 === undefined || !times || !tables.hasFunding(sha256)) return null
    const presentFromMs = (times.dataTo + 1) * MS_PER_DAY
    return {
      key: `${sha256} ${presentFromMs}`,
      request: () => ({ recordedFunding: tables.funding(sha256) ?? undefined, presentFromMs }),
    }
  }

  /** A walk-forward goes on with the combination that it chose last, by the recorded returns of its grid. */
  const portfolioTask = (run: ForwardRun, study: PortfolioStudy, rows: TestRows): PortfolioTask =>
    run.entry.role !== 'walk-forward'
      ? { work: 'combination', study, rows, combination: study }
      : {
          work: 'walkForward',
          ...{ study, rows, keepBars: false, keepWeights: false },
          grid: recordedGrid(tables, run),
          ...(run.times && { recordedTo: run.times.dataTo }),
        }

  async function signalStudy(run: ForwardRun, endDay: DayNumber, signal: AbortSignal): Promise<ComputedRun> {
    const study = parseStudy(documentTo(run, endDay), { fromCache: true }) as SignalStudy & CacheStudy
    const { task } = await cacheTask(
      deps,
      study,
      { connectionId, ...namesOf(run), ...recordedFundingOf(run)?.request() },
      signal,
    )
    const result = (await runPanelStudy(task, () => undefined)) as ResultOf<'signal'>
    const samples = signalSamples(study, result)
    const byExitDay = Map.groupBy(samples, ({ exitDay }) => exitDay)
    return {
      netOf: () => null,
      endedOn: (day) => byExitDay.get(day) ?? [],
      samples,
    }
  }

  return (run: ForwardRun, endDay: DayNumber, signal: AbortSignal): Promise<ComputedRun> =>
    run.entry.kind === 'signal' ? signalStudy(run, endDay, signal) : portfolio(run, endDay, signal)
}

function readOf({ source }: ForwardRun): NonNullable<ForwardRun['source']> {
  if (!source) throw new Error('Only a run on cached series is computed anew.')
  return source
}

/** The recorded returns of the combinations that a walk-forward chose from. */
function recordedGrid(tables: LedgerTables, { entry, position }: ForwardRun): CombinationReturns[] {
  const inputs = JSON.stringify(entry.inputs)
  const recorded = new Map(
    tables
      .combinationsBefore(entry.documentHash, position)
      .filter((one) => JSON.stringify(one.inputs) === inputs)
      .map((one) => [one.documentHash, one]),
  )
  const study = entry.study as PortfolioStudy
  return combinationsOf(study.parameters ?? {}).map((parameters) => {
    const one = recorded.get(documentHash(combinationStudy(study, parameters)))
    const bytes = one && (one.returnsSha256 === null ? Buffer.alloc(0) : tables.returns(one.returnsSha256))
    if (!one || !bytes) throw new PanelError('The ledger lacks a combination that this walk-forward chose from.')
    return {
      parameters,
      firstDay: one.firstDay === null ? null : dayNumberOf(one.firstDay),
      net: returnsFromBytes(bytes),
    }
  })
}

/** The instruments of the record; own data alone names them by itself. */
const namesOf = (run: ForwardRun) => (readOf(run).series.length > 0 ? { names: readOf(run).names } : {})

/** The recorded document with a later end and the symbols of the record; own data alone names them by itself. */
function documentTo(run: ForwardRun, endDay: DayNumber): unknown {
  const { study } = run.entry
  const { series } = readOf(run)
  const symbols = series.length > 0 && { symbols: [...new Set(series.map(({ symbol }) => symbol))] }
  return { ...study, end: dayFromNumber(endDay), source: { ...(study.kind !== 'blend' && study.source), ...symbols } }
}
