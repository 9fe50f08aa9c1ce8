import { PanelError } from '#shared/lab/panel.ts'
import { newForwardDays } from '#shared/lab/forward/forwardDays.ts'
import { refusalOf } from '#shared/contract/studyRefusal.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { dayNumberOf, type DayNumber } from '#shared/time/periods.ts'
import type { ScoreFacts, StoredDay, StoredScore } from '#core/store/forwardScoreStore.ts'
import { noScore } from '#core/store/forwardScoreStore.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import { returnsFromBytes } from '#core/store/ledger/ledgerEntry.ts'
import { createComputer, type ComputedRun } from './computeDays.ts'
import type { DayFiles } from './dayFiles.ts'
import { createDayFiles, type ScoreDeps } from './scoreDeps.ts'
import { tellInbox } from './tellInbox.ts'
import { createGoneFiles } from './recordedFiles.ts'
import { createForwardRuns, type ForwardRun, isScored } from './forwardRuns.ts'

/** A share of the runs, so that two threads score all of them. */
export interface ScoreShare {
  part: number
  parts: number
}

/** Number of runs whose scores are written at once. */
const BATCH = 50

/** Lists the runs that are scored, in ledger order. */
function forwardRunsOf({ ledger: { tables } }: Pick<ScoreDeps, 'ledger'>): ForwardRun[] {
  const runOf = createForwardRuns(tables)
  const runs: ForwardRun[] = []
  for (const stored of tables.entries())
    if (isScored(stored.entry)) runs.push(runOf({ ...stored, entry: stored.entry }))
  return runs
}

/** A run with forward days that are not scored yet. */
interface DueRun {
  run: ForwardRun
  days: DayNumber[]
  stored: StoredScore
  filesOf(day: DayNumber): DayFiles | undefined
}

/**
 * Scores the forward days of runs that can be scored now; days that were scored stay as they are.
 * @param onProgress may throw to stop the work; what was scored stays
 */
export async function updateScores(
  deps: ScoreDeps,
  { part, parts }: ScoreShare,
  onProgress: (done: number, total: number) => void,
): Promise<{ runs: number; days: number }> {
  const { store } = deps
  const due = dueRuns(deps, ({ entry }) => Number.parseInt(entry.hash.slice(0, 8), 16) % parts === part)
  const tools = { compute: createComputer(deps, deps.connectionId), goneFiles: createGoneFiles(deps) }
  let waiting: (Scored & { run: ForwardRun; entry: string })[] = []
  let days = 0
  const flush = () => {
    const scored = waiting
    waiting = []
    store.forwardScores.save(scored)
    for (const { run, days: own } of scored) if (own.length > 0) tellInbox(deps, run)
  }
  try {
    for (const [at, one] of due.entries()) {
      onProgress(at, due.length)
      const scored = await scoreRun(deps, one, tools)
      days += scored.days.length
      waiting.push({ run: one.run, entry: one.run.entry.hash, ...scored })
      if (waiting.length === BATCH) flush()
    }
  } finally {
    flush()
  }
  return { runs: due.length, days }
}

/** Lists the runs that are due, those beside each other that read the same series. */
function dueRuns(deps: ScoreDeps, isOurs: (run: ForwardRun) => boolean): DueRun[] {
  const runs = forwardRunsOf(deps).filter(isOurs)
  const scores = deps.store.forwardScores.all()
  const filesOfSource = createDayFiles(deps, runs)
  const due = runs.flatMap((run): DueRun[] => {
    const { source, times, entry } = run
    if (!source || !times) return []
    const filesOf = filesOfSource(source)
    const stored = scores.get(entry.hash) ?? noScore
    const days = newForwardDays(times, filesOf, stored.days.at(-1)?.day ?? null, deps.nowMs)
    return days.length === 0 ? [] : [{ run, days, stored, filesOf }]
  })
  const keyOf = ({ run: { source, entry } }: DueRun) => `${source?.key} ${entry.family}`
  return [...Map.groupBy(due, keyOf).values()].flat()
}

type Scored = { days: StoredDay[]; facts: Omit<ScoreFacts, 'told'> }

async function scoreRun(
  { ledger }: ScoreDeps,
  { run, days, stored, filesOf }: DueRun,
  { compute, goneFiles }: { compute: ReturnType<typeof createComputer>; goneFiles: (run: ForwardRun) => number },
): Promise<Scored> {
  try {
    const gone = goneFiles(run)
    if (gone > 0)
      throw new PanelError(`${plainPlural(gone, 'file')} of the recorded days ${gone === 1 ? 'is' : 'are'} not here.`)
    const computed = await compute(run, days[days.length - 1], new AbortController().signal)
    const differs = stored.facts.differs || differsFromRecord(ledger, run, computed)
    return { days: scoredDays(run, days, stored, computed, filesOf), facts: { problem: null, differs } }
  } catch (thrown) {
    const problem = refusalOf(thrown)?.message ?? toAppError(thrown).message
    return { days: [], facts: { problem, differs: stored.facts.differs } }
  }
}

function scoredDays(
  { entry: { kind } }: ForwardRun,
  days: readonly DayNumber[],
  stored: StoredScore,
  computed: ComputedRun,
  filesOf: DueRun['filesOf'],
): StoredDay[] {
  const isSignal = kind === 'signal'
  const forward = new Set([...stored.days.map(({ day }) => day), ...days])
  return days.flatMap((day) => {
    const net = computed.netOf(day)
    if (!isSignal && (net === null || !Number.isFinite(net))) return []
    const ended = computed.endedOn(day).filter((sample) => forward.has(sample.day))
    const { files = 0, content = 0 } = filesOf(day) ?? {}
    return [{ day, net, ics: ended.map(({ ic }) => ic), files, content }]
  })
}

/** Relative difference up to which a return, computed again, is the recorded one. */
const SAME_RETURN = 1e-9

/**
 * Tells whether the recorded days come out otherwise now: files were published anew, or a definition or an instrument
 * changed.
 */
function differsFromRecord({ tables }: Ledger, { entry }: ForwardRun, computed: ComputedRun): boolean {
  const { firstDay, returnsSha256 } = entry
  const bytes = returnsSha256 === null ? null : tables.returns(returnsSha256)
  if (!bytes || firstDay === null) return false
  const from = dayNumberOf(firstDay)
  return returnsFromBytes(bytes).some((recorded, at) => {
    const net = computed.netOf(from + at)
    return net === null || Math.abs(net - recorded) > SAME_RETURN * Math.max(1, Math.abs(recorded))
  })
}
