import { AppError, toAppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY, parseInterval } from '#shared/time.ts'
import { periodDays, type DayNumber, type Period } from '#shared/time/periods.ts'
import type { Clock } from '#core/ports.ts'
import type { AnswerStore } from '#core/store/answerStore.ts'
import type { CacheFolder } from '#core/store/cacheFolder.ts'
import type { FileFacts } from '#core/store/fileFacts.ts'
import type { CachedFile, FileSpan, FileStore } from '#core/store/fileStore.ts'
import type { Job, JobOutcome } from '#core/store/job.ts'
import type { PartStore } from '#core/store/partStore.ts'
import type { OwnedSeries } from '#core/store/seriesIndex.ts'
import type { Links } from './links.ts'
import { periodStates } from './plan.ts'
import type { Proof } from './proof.ts'
import type { ProofPool } from './proofPool.ts'
import { refused, type Refusals } from './refusals.ts'
import type { Strays } from './strays.ts'
import { transfer, type TransferDeps } from './transfer.ts'

/** What one attempt at a job came to; what went wrong is thrown. */
export interface Result {
  outcome: JobOutcome
  file: { file: CachedFile; facts: FileFacts } | null
  /** Periods to fetch in its place. */
  instead: Period[]
}

export interface AttemptDeps extends TransferDeps {
  clock: Clock
  links: Links
  pool: ProofPool
  files: FileStore
  answers: AnswerStore
  refusals: Refusals
  strays: Strays
  folder: CacheFolder
  parts: PartStore
}

export interface AttemptOptions {
  signal: AbortSignal
  onBytes(doneBytes: number, totalBytes: number | null): void
  /** Everything came: the network is free for another one. */
  onReceived(): void
}

const nothingElse = { file: null, instead: [] }

/** One attempt at bringing in one file. */
export async function attempt(deps: AttemptDeps, job: Job, options: AttemptOptions): Promise<Result> {
  const { series, period } = job
  const days = periodDays(period)
  if (!days) throw new AppError('bad-input', `“${period}” is no period`)
  const spans = deps.files.spans(series, days.start, days.end)
  if (!job.refresh && isHere(spans, period, days)) return { outcome: 'already here', ...nothingElse }
  const known = spans.length > 0 ? deps.files.find(series, period) : undefined
  if (!known && deps.strays.has(series, period)) {
    const adopted = await adopt(deps, job)
    if (adopted) return adopted
  }
  const refusal = deps.refusals.of(series)
  if (refusal && refusal.atMs >= job.createdAtMs) throw refused(refusal)

  const received = await receive(deps, job, options)
  if (received === 'absent') {
    deps.answers.recordAbsent(series, [period], deps.clock.nowMs())
    return { outcome: 'absent', ...nothingElse }
  }
  if (Array.isArray(received)) return { outcome: 'listed otherwise', file: null, instead: received }
  options.onReceived()
  const task = { path: deps.folder.pathOf(series, period), root: deps.folder.root, bytes: received.bytes }
  const proof = await deps.pool.takeIn(task).catch((thrown: unknown) => {
    const error = toAppError(thrown)
    if (error.code !== 'corrupt-file') throw thrown
    deps.parts.discard(series, period)
    throw unusable(period, error)
  })
  if (refusal) deps.refusals.clear(refusal)
  return takenIn(deps, job, known, proof, received.etag, deps.clock.nowMs())
}

function isHere(spans: FileSpan[], period: Period, { start, end }: { start: DayNumber; end: DayNumber }): boolean {
  const knowledge = { spans, absent: new Set<Period>(), isLocked: false, isListed: true }
  return periodStates([{ period, startDay: start, endDay: end }], knowledge)[0] === 'cached'
}

/** A file that came to its place just before the program ended: it only lacks its row. */
async function adopt(deps: AttemptDeps, job: Job): Promise<Result | null> {
  try {
    const proof = await deps.pool.prove(deps.folder.pathOf(job.series, job.period))
    const result = takenIn(deps, job, undefined, proof, null, deps.clock.nowMs())
    // Nobody knows when it was fetched: one that may be incomplete is fetched again.
    return result.file?.file.state === 'final' && !job.refresh ? result : null
  } catch (thrown) {
    if (toAppError(thrown).code === 'corrupt-file') return null
    throw thrown
  }
}

/** The file, by a fresh link; a refused link is renewed once. */
async function receive(deps: AttemptDeps, { series, period }: Job, { signal, onBytes }: AttemptOptions) {
  for (const anew of [false, true]) {
    const offer = await deps.links.offer(series, period, anew, signal)
    if (offer.kind === 'absent') return 'absent'
    if (offer.kind === 'otherwise') return offer.periods
    try {
      return await transfer(deps, { series, period, url: offer.url, signal, onBytes })
    } catch (thrown) {
      const error = toAppError(thrown)
      if (error.code !== 'forbidden') throw thrown
      if (anew) throw linkRefused(period, error)
    }
  }
  throw new AppError('internal')
}

/** Not a refusal of the key: the code says so, so that nothing else of the dataset is held back for it. */
const linkRefused = (period: Period, { service }: AppError) =>
  new AppError('rejected', `The link to the file of ${period} was refused, and a new one too.`, {
    ...(service && { service }),
  })

/** Nothing of ours is damaged: it came so, and nothing of it stays. */
function unusable(period: Period, { detail }: AppError): AppError {
  const why = detail?.slice(detail.lastIndexOf(': ') + 2) ?? ''
  return new AppError('bad-answer', `What came as the file of ${period} cannot be used: ${why}`)
}

function takenIn(
  { clock }: AttemptDeps,
  { series, period, refresh }: Job,
  known: CachedFile | undefined,
  proof: Proof,
  etag: string | null,
  fetchedAtMs: number,
): Result {
  const days = periodDays(period)!
  const isSame = known?.sha256 === proof.sha256
  const isChanged = known?.state === 'final' && !isSame
  const file: CachedFile = {
    series,
    period,
    startDay: days.start,
    endDay: days.end,
    state: isFinal(series, days.end, proof.facts, clock.nowMs()) ? 'final' : 'partial',
    origin: 'service',
    sizeBytes: proof.sizeBytes,
    sha256: proof.sha256,
    etag,
    fetchedAtMs,
    usedAtMs: known?.usedAtMs ?? fetchedAtMs,
    pinned: known?.pinned ?? false,
    changedUpstreamAtMs: isChanged ? fetchedAtMs : (known?.changedUpstreamAtMs ?? null),
  }
  const outcome = isChanged ? 'changed upstream' : isSame && refresh ? 'unchanged' : 'downloaded'
  return { outcome, file: { file, facts: proof.facts }, instead: [] }
}

/** The last rows of a day may be published a little after its end; a day later nothing more is expected. */
function isFinal(series: OwnedSeries, endDay: number, { lastTimeMs }: FileFacts, nowMs: number): boolean {
  const endMs = endDay * MS_PER_DAY
  if (nowMs < endMs) return false
  const intervalMs = (parseInterval(series.interval) ?? 3600) * 1000
  return nowMs >= endMs + MS_PER_DAY || (lastTimeMs !== null && lastTimeMs + intervalMs >= endMs)
}
