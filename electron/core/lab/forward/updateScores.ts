import { PanelError } from '#shared/lab/panel.ts'
import { newForwardDays } from '#shared/lab/forward/forwardDays.ts'
import { refusalOf } from '#shared/contract/studyRefusal.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { dayNumberOf, type DayNumber } from '#shared/time/periods.ts'
import { noScoreHead, type ScoreFacts, type ScoreHead, type StoredDay } from '#core/store/forwardScoreStore.ts'
import type { Ledger } from '#core/store/ledger/ledger.ts'
import { returnsFromBytes } from '#core/store/ledger/ledgerEntry.ts'
import { recordedIcOf } from '../recordStudy.ts'
import { type BlendDays, createBlendDays } from './blendDays.ts'
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
/** Time after which scores are written although they are fewer: what takes long is not computed twice. */
const BATCH_MS = 1000

interface UpdateControl {
  onProgress(done: number, total: number): void
  /** Throws to stop the work; what was scored stays. */
  throwIfCancelled(): void
}

/** Lists the runs of a share that are scored, in ledger order. */
function forwardRunsOf({ ledger: { tables } }: ScoreDeps, { part, parts }: ScoreShare): ForwardRun[] {
  const runOf = createForwardRuns(tables)
  const runs: ForwardRun[] = []
  for (const stored of tables.entries())
    if (isScored(stored.entry) && Number.parseInt(stored.entry.hash.slice(0, 8), 16) % parts === part)
      runs.push(runOf({ ...stored, entry: stored.entry }))
  return runs
}

/** A run with forward days that are not scored yet. */
interface DueRun {
  run: ForwardRun
  days: DayNumber[]
  head: ScoreHead
  filesOf(day: DayNumber): DayFiles | undefined
  /** What a blend reads; null for other runs. */
  blend: BlendDays | null
}

/** Scores the forward days of runs that can be scored now; days that were scored stay as they are. */
export async function updateScores(
  deps: ScoreDeps,
  share: ScoreShare,
  control: UpdateControl,
): Promise<{ runs: number; days: number }> {
  const { store } = deps
  const { signal } = new AbortController()
  const due = await dueRuns(deps, share, { ...control, signal })
  const tools = { compute: createComputer(deps), goneFiles: createGoneFiles(deps) }
  let waiting: (Scored & { run: ForwardRun; entry: string })[] = []
  let days = 0
  let flushedAtMs = performance.now()
  const flush = () => {
    const scored = waiting
    waiting = []
    flushedAtMs = performance.now()
    // In one transaction, so that a process that is killed in between leaves nothing untold.
    store.database.writes.inTransaction(() => {
      for (const [at, { days: stored }] of store.forwardScores.save(scored).entries())
        if (scored[at].days.length > 0) tellInbox(deps, scored[at].run, stored)
    })
  }
  try {
    for (const [at, one] of due.entries()) {
      control.throwIfCancelled()
      control.onProgress(at, due.length)
      const scored = await scoreRun(deps, one, { ...tools, signal })
      days += scored.days.length
      waiting.push({ run: one.run, entry: one.run.entry.hash, ...scored })
      if (waiting.length === BATCH || performance.now() - flushedAtMs > BATCH_MS) flush()
    }
  } finally {
    flush()
  }
  return { runs: due.length, days }
}

/** Lists the runs that are due, those beside each other that read the same series. */
async function dueRuns(
  deps: ScoreDeps,
  share: ScoreShare,
  { throwIfCancelled, signal }: Pick<UpdateControl, 'throwIfCancelled'> & { signal: AbortSignal },
): Promise<DueRun[]> {
  const runs = forwardRunsOf(deps, share)
  const heads = deps.store.forwardScores.heads()
  const filesOfSource = createDayFiles(deps, runs)
  const blendOf = createBlendDays(deps, signal)
  const due: DueRun[] = []
  for (const run of runs) {
    throwIfCancelled()
    const { source, times, entry, never } = run
    if (!times || never !== null) continue
    const head = heads.get(entry.hash) ?? noScoreHead
    const newDays = (filesOf: DueRun['filesOf']) => newForwardDays(times, filesOf, head.lastDay, deps.nowMs)
    const isBlend = entry.kind === 'blend'
    // Reading a blend takes time, so it is read only if a day may be due.
    if (isBlend && newDays(() => anyDay).length === 0) continue
    const blend = isBlend ? await blendOf(run).catch(unreadable) : null
    const filesOf = blend?.filesOf ?? (source && filesOfSource(source))
    const days = filesOf ? newDays(filesOf) : []
    if (filesOf && days.length > 0) due.push({ run, days, head, filesOf, blend })
  }
  const keyOf = ({ run: { source, entry } }: DueRun) => `${source?.key} ${entry.family}`
  return [...Map.groupBy(due, keyOf).values()].flat()
}

/** A blend whose histories cannot be read, which its score says. */
const unreadable = (thrown: unknown): BlendDays => ({
  sources: [],
  filesOf: () => anyDay,
  compute: () => Promise.reject(thrown as Error),
})

/** A day whose files came just now. */
const anyDay: DayFiles = { arrivedMs: Infinity, readMs: Infinity, isWhole: true, files: 1, content: 0 }

interface ScoreTools {
  compute: ReturnType<typeof createComputer>
  goneFiles: (run: ForwardRun) => number
  signal: AbortSignal
}

type Scored = { days: StoredDay[]; facts: Omit<ScoreFacts, 'told'> }

async function scoreRun(
  { ledger, store }: ScoreDeps,
  { run, days, head, filesOf, blend }: DueRun,
  { compute, goneFiles, signal }: ScoreTools,
): Promise<Scored> {
  try {
    const gone = goneFiles(run)
    if (gone > 0)
      throw new PanelError(`${plainPlural(gone, 'file')} of the recorded days ${gone === 1 ? 'is' : 'are'} not here.`)
    const computed = await (blend ? blend.compute() : compute(run, days[days.length - 1], signal))
    const { recordedIc, ...ics } = recordedSamples(run, computed, head.facts.recordedIc)
    const differs = head.facts.differs || ics.differs || differsFromRecord(ledger, run, computed)
    const facts = { problem: null, differs, recordedIc, sources: blend?.sources ?? [] }
    // The samples of a signal study must have begun on a forward day, too.
    const earlier = run.entry.kind === 'signal' ? store.forwardScores.read(run.entry.hash).days : []
    const forward = new Set([...earlier.map(({ day }) => day), ...days])
    return { days: scoredDays(run, days, { forward, computed, filesOf }), facts }
  } catch (thrown) {
    const problem = refusalOf(thrown)?.message ?? toAppError(thrown).message
    const { told: _told, ...facts } = head.facts
    return { days: [], facts: { ...facts, problem } }
  }
}

/**
 * Compares the recorded samples of a signal study with those that come out now. An entry of an earlier version does not
 * say what they were worth, so it is what they were at the first scoring.
 */
function recordedSamples(
  { entry: { kind, rankIc }, times }: ForwardRun,
  { samples }: ComputedRun,
  known: ScoreFacts['recordedIc'],
): { recordedIc: ScoreFacts['recordedIc']; differs: boolean } {
  if (kind !== 'signal' || !times) return { recordedIc: null, differs: false }
  const recorded = rankIc ? samples.slice(0, rankIc.samples) : samples.filter(({ exitDay }) => exitDay <= times.dataTo)
  const { mean, deviation, samples: count } = recordedIcOf(recorded)
  const before = rankIc ?? known ?? { mean, deviation }
  const isSame = isSameNumber(mean, before.mean) && isSameNumber(deviation, before.deviation)
  return {
    recordedIc: { mean: before.mean, deviation: before.deviation },
    differs: !isSame || (rankIc !== undefined && rankIc.samples !== count),
  }
}

function scoredDays(
  { entry: { kind } }: ForwardRun,
  days: readonly DayNumber[],
  { forward, computed, filesOf }: Pick<DueRun, 'filesOf'> & { forward: ReadonlySet<DayNumber>; computed: ComputedRun },
): StoredDay[] {
  const isSignal = kind === 'signal'
  return days.flatMap((day) => {
    const net = computed.netOf(day)
    if (!isSignal && (net === null || !Number.isFinite(net))) return []
    const ended = computed.endedOn(day).filter((sample) => forward.has(sample.day))
    const { files = 0, content = 0 } = filesOf(day) ?? {}
    return [{ day, net, ics: ended.map(({ ic }) => ic), files, content }]
  })
}

/** Relative difference up to which a return or rank IC, computed again, is the recorded one. */
const SAME_NUMBER = 1e-9

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
    // A blend may have days without a return.
    if (Number.isNaN(recorded)) return net !== null
    return !isSameNumber(net, recorded)
  })
}

const isSameNumber = (now: number | null, recorded: number | null): boolean =>
  now === null || recorded === null
    ? now === recorded
    : Math.abs(now - recorded) <= SAME_NUMBER * Math.max(1, Math.abs(recorded))
