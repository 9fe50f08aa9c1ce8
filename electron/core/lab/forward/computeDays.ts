import type { ResultOf } from '#shared/lab/runStudy.ts'
import { needsFunding } from '../studyFunding.ts'
import { parsePortfolioStudy, parseStudy } from '#shared/lab/parseStudy.ts'
import type { SignalStudy } from '#shared/lab/kinds/signal/fields.ts'
import { parseInterval, MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber } from '#shared/time/periods.ts'
import type { CacheStudy } from '../cachePlan.ts'
import { type CacheSourceDeps, cacheTask } from '../cacheSource.ts'
import { runPanelStudy } from '../panelStudy.ts'
import { cacheFormulas, findTestRows, namesFunding } from '../portfolio/cacheTest.ts'
import { columnsOf, runPortfolioTask, type TestRows } from '../portfolio/portfolioTask.ts'
import type { ForwardRun } from './forwardRuns.ts'

/** A run computed anew, on all rows to a day. */
export interface ComputedRun {
  /** Net return of a day; null if it has none, or for a signal study. */
  netOf(day: DayNumber): number | null
  /** Samples of a signal study by the day on which they ended. */
  endedOn(day: DayNumber): readonly { day: DayNumber; ic: number }[]
}

/** Computes recorded runs anew; the rows that the last run read are kept for the next one. */
export function createComputer(deps: CacheSourceDeps, connectionId: string) {
  let last: { key: string; rows: TestRows } | null = null

  async function portfolio(run: ForwardRun, endDay: DayNumber, signal: AbortSignal): Promise<ComputedRun> {
    const { names, key } = readOf(run)
    const study = parsePortfolioStudy(documentTo(run, endDay), { fromCache: true })
    const { interval, start, end, source, fundingRate } = study
    const funding = [namesFunding(study), needsFunding(cacheFormulas(study)), fundingRate]
    const rowKey = JSON.stringify([key, interval, start, end, source, columnsOf(study), funding])
    if (last?.key !== rowKey) {
      last = null
      const request = { study, connectionId, sealedFromMs: null, names }
      last = { key: rowKey, rows: (await findTestRows(deps, request, signal)).rows }
    }
    const task = { work: 'combination' as const, study, rows: last.rows, combination: study }
    const answer = await runPortfolioTask(task)
    if (!('record' in answer)) throw new Error('The task answered something else.')
    const { firstDay, net } = answer.record
    return {
      netOf: (day) => (firstDay === null ? null : (net[day - firstDay] ?? null)),
      endedOn: () => [],
    }
  }

  async function signalStudy(run: ForwardRun, endDay: DayNumber, signal: AbortSignal): Promise<ComputedRun> {
    const study = parseStudy(documentTo(run, endDay), { fromCache: true }) as SignalStudy & CacheStudy
    const { task } = await cacheTask(deps, study, { connectionId, names: readOf(run).names }, signal)
    const result = (await runPanelStudy(task, () => undefined)) as ResultOf<'signal'>
    const samples = Map.groupBy(samplesOf(study, result), ({ exitDay }) => exitDay)
    return { netOf: () => null, endedOn: (day) => samples.get(day) ?? [] }
  }

  return (run: ForwardRun, endDay: DayNumber, signal: AbortSignal): Promise<ComputedRun> =>
    run.entry.kind === 'signal' ? signalStudy(run, endDay, signal) : portfolio(run, endDay, signal)
}

function readOf({ source }: ForwardRun): NonNullable<ForwardRun['source']> {
  if (!source) throw new Error('Only a run on cached series is computed anew.')
  return source
}

/** The recorded document with a later end and the symbols of the record. */
function documentTo(run: ForwardRun, endDay: DayNumber): unknown {
  const { study } = run.entry
  const symbols = [...new Set(readOf(run).series.map(({ symbol }) => symbol))]
  return { ...study, end: dayFromNumber(endDay), source: { ...('source' in study && study.source), symbols } }
}

/** The non-overlapping samples of the first horizon that have a rank IC. */
function samplesOf({ interval, delayBars, horizons: [horizon] }: SignalStudy, result: ResultOf<'signal'>) {
  const intervalMs = (parseInterval(interval) ?? NaN) * 1000
  const { times, rank } = result.horizons[0].series
  return Array.from(times).flatMap((time, at) => {
    const ic = rank[at]
    if ((time - times[0]) % (horizon * intervalMs) !== 0 || ic === null || Number.isNaN(ic)) return []
    const exitMs = time + (delayBars + horizon) * intervalMs
    return [{ day: Math.floor(time / MS_PER_DAY), exitDay: Math.floor(exitMs / MS_PER_DAY), ic }]
  })
}
