import { queryTextOf } from '#shared/catalog/portfolioRequest.ts'
import type { BlendData } from '#shared/lab/kinds/blend/blendWeights.ts'
import type { BlendStudy } from '#shared/lab/kinds/blend/fields.ts'
import { runBlend } from '#shared/lab/kinds/blend/run.ts'
import { parseBlend } from '#shared/lab/parseStudy.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, type DayNumber, dayNumberOf } from '#shared/time/periods.ts'
import type { Portfolio } from '#core/portfolio/portfolio.ts'
import { blendData } from '../book/blendData.ts'
import { createKeptRuns } from '../book/keptWeights.ts'
import { createOwnFiles } from '../book/ownFiles.ts'
import { createServedTables } from '../book/servedTables.ts'
import type { ComputedRun } from './computeDays.ts'
import { type DayFiles, dayRowsOf } from './dayFiles.ts'
import type { ForwardRun } from './forwardRuns.ts'
import type { ScoreDeps } from './scoreDeps.ts'

/** What a blend would read now, and its days by it. */
export interface BlendDays {
  /** Names of the histories. */
  sources: readonly string[]
  filesOf(day: DayNumber): DayFiles | undefined
  compute(): Promise<ComputedRun>
}

/** Reads what blends are computed from, each history once. */
export function createBlendDays(deps: ScoreDeps, signal: AbortSignal) {
  const { store, clock, connectionId, nowMs } = deps
  const portfolio = rememberAnswers(deps.openPortfolio(connectionId))

  async function read(study: BlendStudy): Promise<{ data: BlendData; sources: string[] }> {
    const served = createServedTables(() => portfolio, signal)
    const data = await blendData(study, {
      served,
      runs: createKeptRuns(store.studyRuns),
      own: createOwnFiles(store.returns, clock),
      folder: undefined,
    })
    return { data, sources: [...served.lastDays.keys()].sort() }
  }

  return async (run: ForwardRun): Promise<BlendDays> => {
    const today = Math.floor(nowMs / MS_PER_DAY)
    const study = parseBlend({ ...run.entry.study, end: dayFromNumber(today - 1) })
    const { data, sources } = await read(study)
    const fromDay = (run.times?.dataTo ?? today) + 1
    const filesOf = dayRowsOf(store, sources, fromDay, { nowMs, wholeTo: lastWholeDay(data) })
    // The rows are read again, because those of all blends would not fit into memory.
    return { sources, filesOf, compute: async () => computed(study, (await read(study)).data) }
  }
}

function computed(study: BlendStudy, data: BlendData): ComputedRun {
  const { days, net } = runBlend(study, data)
  const first = days.length === 0 ? 0 : dayNumberOf(days[0])
  return { netOf: (day) => net[day - first] ?? null, endedOn: () => [], samples: [] }
}

/** Members and overlay are those of the day before. */
function lastWholeDay({ components, universe, overlay, prices }: BlendData): DayNumber {
  const lastOf = ({ days }: { days: ArrayLike<DayNumber> }) => (days.length === 0 ? -Infinity : days[days.length - 1])
  const before = [universe, overlay].flatMap((table) => (table ? [lastOf(table) + 1] : []))
  return Math.min(...components.map(lastOf), lastOf(prices), ...before)
}

/** Blends of the same histories share what was read. */
function rememberAnswers(portfolio: Portfolio): Portfolio {
  const known = new Map<string, Promise<unknown>>()
  const remember = <Value>(key: string, work: () => Promise<Value>): Promise<Value> => {
    const found = known.get(key) ?? work()
    known.set(key, found)
    return found as Promise<Value>
  }
  return {
    ...portfolio,
    history: (request, ...rest) =>
      remember(`${request.endpoint} ${queryTextOf(request)}`, () => portfolio.history(request, ...rest)),
    tickers: (request, ...rest) =>
      remember(`${request.endpoint} ${queryTextOf(request)}`, () => portfolio.tickers(request, ...rest)),
  }
}
