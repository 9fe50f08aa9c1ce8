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
import { addTrial, noTrials, sharpeSample, type SharpeTally } from '#shared/lab/portfolio/sharpeStatistics.ts'
import type { StoredDay, StoredScore } from '#core/store/forwardScoreStore.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import type { RunEntry } from '#core/store/ledger/ledgerEntry.ts'
import { createForwardRuns, type ForwardRun, isScored } from './forwardRuns.ts'
import { dayRowsOf } from './dayFiles.ts'
import { recordedReturns, recordOf, riskFreeOf, type RunTrials } from './runRecord.ts'
import { createDayFiles, type ScoreDeps } from './scoreDeps.ts'

/** Scores the runs of the ledger from the days that are stored; all of them, or one. */
export function scoresOf(deps: ScoreDeps, sequence: number | null = null): Score[] {
  const { ledger, store } = deps
  const runs = scoredRuns(ledger).filter(
    ({ run: { entry, chain } }) => sequence === null || (chain === '' && entry.sequence === sequence),
  )
  const filesOf = createDayFiles(
    deps,
    runs.map(({ run }) => run),
  )
  const filesOfRun = ({ source, times }: ForwardRun, sources: readonly string[]) =>
    source ? filesOf(source) : times && dayRowsOf(store, sources, times.dataTo + 1, deps)
  return runs.map(({ run, ...trials }) => {
    const score = store.forwardScores.read(run.entry.hash)
    const record = recordOf(ledger, run, trials)
    const files = score.days.length > 0 ? filesOfRun(run, score.facts.sources) : null
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
    ({
      sequence,
      family,
      name,
      isTrial,
      days,
      recordedDays,
      expected,
      sharpe,
      registered,
      deflated,
    }): CalibrationTest => ({
      ...{ sequence, family, name, isTrial, days, recordedDays, registered, deflated },
      recorded: expected,
      forward: sharpe,
    }),
  )
  return { calibration: calibrate(tests), tests: countedTests(tests) }
}

/** The scored days of a run, with the mean and the deviation of its recorded ones. */
export function curveOf({ ledger, store }: Pick<ScoreDeps, 'ledger' | 'store'>, hash: string): ForwardCurve {
  const entry = ledger.tables.byHash(hash)?.entry
  const { days, facts } = store.forwardScores.read(hash)
  const recorded = entry?.event === 'run' ? recordedReturns(ledger, entry) : new Float64Array(0)
  const { mean, sd } = sampleMomentsOf(recorded)
  return {
    days: days.map(({ day }) => day),
    net: days.map(({ net }) => net),
    ics: days.map(({ ics }) => ics),
    ...(facts.recordedIc ?? { mean, deviation: sd }),
  }
}

function describe({ entry, chain, never }: ForwardRun, recorded: Float64Array | null) {
  const { sequence, hash, family, kind, role, study, isTrial, time } = entry
  return {
    sequence,
    ...(chain !== '' && { chain }),
    ...{ hash, family, kind, role, isTrial, recordedAt: time, name: study.name },
    recordedDays: recorded?.length ?? 0,
    never,
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

/** The counted trials of a family so far. */
function createFamily() {
  const trials = new Map<string, EarlierTrial>()
  /** By risk-free rate, kept up to date because a family may have thousands of trials. */
  const tallies = new Map<number, SharpeTally>()
  return {
    tallyAt(riskFree: number): SharpeTally {
      const found = tallies.get(riskFree)
      if (found) return found
      const tally = [...trials.values()].reduce((sum, trial) => addTrial(sum, trial.sharpeAt(riskFree)), noTrials)
      tallies.set(riskFree, tally)
      return tally
    },
    has: (key: string) => trials.has(key),
    add(trial: EarlierTrial): void {
      trials.set(trial.key, trial)
      for (const [riskFree, tally] of tallies) tallies.set(riskFree, addTrial(tally, trial.sharpeAt(riskFree)))
    },
    /** Trials are counted from the last reset on: of all chains after an own one, else of its chain. */
    forget(resetChain: string): void {
      tallies.clear()
      for (const { key, chain } of [...trials.values()])
        if (resetChain === '' || chain === resetChain) trials.delete(key)
    },
  }
}

/** Lists the runs that are scored, with the trials of their families that came before them and count. */
function scoredRuns(ledger: Ledger): ({ run: ForwardRun } & RunTrials)[] {
  const { tables } = ledger
  const runOf = createForwardRuns(tables)
  const byFamily = new Map<string, ReturnType<typeof createFamily>>()
  const found: ({ run: ForwardRun } & RunTrials)[] = []
  for (const stored of tables.entries()) {
    const { entry, chain } = stored
    if (entry.event === 'reset') for (const family of byFamily.values()) family.forget(chain)
    if (entry.event !== 'run') continue
    const family = byFamily.get(entry.family) ?? createFamily()
    byFamily.set(entry.family, family)
    // Of two machines both may have the first run of a key.
    const isTrial = entry.isTrial && !family.has(entry.key)
    if (isScored(entry))
      found.push({ run: runOf({ ...stored, entry }), earlierTrials: family.tallyAt(riskFreeOf(entry)), isTrial })
    if (isTrial) family.add({ key: entry.key, chain, sharpeAt: sharpeAtOf(ledger, entry) })
  }
  return found
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
