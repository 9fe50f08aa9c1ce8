import type { ForwardCurve, Score } from '#shared/contract/areas/ledger.ts'
import {
  calibrate,
  type Calibration,
  type CalibrationTest,
  countedTests,
  type CountedTest,
} from '#shared/lab/forward/calibration.ts'
import { forwardScore } from '#shared/lab/forward/forwardScore.ts'
import type { CodedWarning } from '#shared/lab/studyWarnings.ts'
import { sampleMomentsOf } from '#shared/lab/samples.ts'
import { sharpeSample } from '#shared/lab/portfolio/sharpeStatistics.ts'
import { noScore, type StoredDay, type StoredScore } from '#core/store/forwardScoreStore.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { RunEntry } from '#core/store/ledger/ledgerEntry.ts'
import type { StoredEntry } from '#core/store/ledger/ledgerTables.ts'
import { createForwardRuns, type ForwardRun, isScored } from './forwardRuns.ts'
import { recordedReturns, recordOf, riskFreeOf } from './runRecord.ts'
import { createDayFiles, type ScoreDeps } from './scoreDeps.ts'

/** Scores the runs of the ledger from the days that are stored; all of them, or one. */
export function scoresOf(deps: ScoreDeps, sequence: number | null = null): Score[] {
  const { ledger, store } = deps
  const runs = scoredRuns(ledger).filter(
    ({ run: { entry, chain } }) => sequence === null || (chain === '' && entry.sequence === sequence),
  )
  const stored = store.forwardScores.all()
  const filesOf = createDayFiles(
    deps,
    runs.map(({ run }) => run),
  )
  return runs.map(({ run, earlierSharpes }) => {
    const score = stored.get(run.entry.hash) ?? noScore
    const record = recordOf(ledger, run, earlierSharpes)
    const { source } = run
    const files = source && score.days.length > 0 ? filesOf(source) : null
    const isRepublished = (day: StoredDay) => {
      const now = files?.(day.day)
      return now !== undefined && now.files === day.files && now.content !== day.content
    }
    const found = forwardScore(
      record,
      score.days.map((day) => ({ ...day, isRepublished: isRepublished(day) })),
    )
    return {
      ...describe(run, record.recorded),
      ...found,
      warnings: [...found.warnings, ...computeWarnings(score)],
      expect: record.registration?.expect ?? null,
      kill: record.registration?.kill ?? null,
    }
  })
}

/** The tests that count for calibration, and what they say together. */
export function calibrationOf(deps: ScoreDeps): { calibration: Calibration; tests: CountedTest[] } {
  const tests = scoresOf(deps).map(
    ({ sequence, family, isTrial, days, recordedDays, expected, sharpe, registered, deflated }): CalibrationTest => ({
      ...{ sequence, family, isTrial, days, recordedDays, registered, deflated },
      recorded: expected,
      forward: sharpe,
    }),
  )
  return { calibration: calibrate(tests), tests: countedTests(tests) }
}

/** The scored days of a run, with the mean and the deviation of its recorded ones. */
export function curveOf({ ledger, store }: Pick<ScoreDeps, 'ledger' | 'store'>, hash: string): ForwardCurve {
  const entry = ledger.tables.byHash(hash)?.entry
  const { days } = store.forwardScores.read(hash)
  const recorded = entry?.event === 'run' ? recordedReturns(ledger, entry) : new Float64Array(0)
  const { mean, sd } = sampleMomentsOf(recorded)
  return { days: days.map(({ day }) => day), net: days.map(({ net }) => net), mean, deviation: sd }
}

function describe({ entry, chain }: ForwardRun, recorded: Float64Array | null) {
  const { sequence, hash, family, kind, role, study, isTrial, time, inputs } = entry
  return {
    sequence,
    ...(chain !== '' && { chain }),
    ...{ hash, family, kind, role, isTrial, recordedAt: time, name: study.name },
    recordedDays: recorded?.length ?? 0,
    onPanel: !inputs.some(({ name }) => name === 'cache'),
  }
}

function computeWarnings({ facts: { problem, differs } }: StoredScore): CodedWarning<string>[] {
  const differsText = 'Computed anew, the recorded days differ: files, definitions or instruments have changed since.'
  return [
    ...(problem === null ? [] : [{ code: 'not-computed', message: `Later days could not be computed: ${problem}` }]),
    ...(differs ? [{ code: 'record-differs', message: differsText }] : []),
  ]
}

/** A counted trial of a family, as later runs see it. */
interface EarlierTrial {
  key: string
  chain: string
  sharpeAt(riskFree: number): number | null
}

/** Lists the runs that are scored, with the trials of their families that came before them and count. */
function scoredRuns(ledger: Ledger): { run: ForwardRun; earlierSharpes: (number | null)[] }[] {
  const { tables } = ledger
  const runOf = createForwardRuns(tables)
  const byFamily = new Map<string, Map<string, EarlierTrial>>()
  const found: { run: ForwardRun; earlierSharpes: (number | null)[] }[] = []
  for (const stored of tables.entries()) {
    forgetBeforeReset(byFamily, stored)
    const { entry, chain } = stored
    if (entry.event !== 'run') continue
    const earlier = byFamily.get(entry.family) ?? new Map<string, EarlierTrial>()
    if (isScored(entry)) {
      const riskFree = riskFreeOf(entry)
      const others = entry.kind === 'signal' ? [] : [...earlier.values()].filter(({ key }) => key !== entry.key)
      const earlierSharpes = others.map((trial) => trial.sharpeAt(riskFree))
      found.push({ run: runOf({ ...stored, entry }), earlierSharpes })
    }
    if (!entry.isTrial || earlier.has(entry.key)) continue
    earlier.set(entry.key, { key: entry.key, chain, sharpeAt: sharpeAtOf(ledger, entry) })
    byFamily.set(entry.family, earlier)
  }
  return found
}

/** Trials are counted from the last reset on: of all chains after an own one, else of its chain. */
function forgetBeforeReset(
  byFamily: ReadonlyMap<string, Map<string, EarlierTrial>>,
  { entry, chain }: StoredEntry,
): void {
  if (entry.event !== 'reset') return
  for (const trials of byFamily.values())
    for (const trial of [...trials.values()]) if (chain === '' || trial.chain === chain) trials.delete(trial.key)
}

function sharpeAtOf(ledger: Ledger, entry: RunEntry): (riskFree: number) => number | null {
  const known = new Map<number, number | null>([[riskFreeOf(entry), entry.summary?.sharpe ?? null]])
  return (riskFree) => {
    const found = known.get(riskFree)
    if (found !== undefined) return found
    const { sharpe } = sharpeSample(recordedReturns(ledger, entry), riskFree)
    known.set(riskFree, sharpe)
    return sharpe
  }
}
