import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { createGuard, type GuardLimits, GuardStopped } from '#core/guard/guard.ts'
import { limitsForBytes } from '#core/guard/sizeLimits.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { StartProcess } from '#core/ports.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { MetricRows } from '#shared/metrics/metricRows.ts'
import type { ComputePlan, PlanInput, ComputeTask, RawSourceFiles } from './computePlan.ts'
import { buffersOfRows, type ComputeAnswer, type ComputeWork, type ThreadWork } from './computeTask.ts'
import { type EncodedRows, encodeRows, type RowsToEncode } from './metricGroups.ts'
import type { MetricPart, PartFacts, PartRange } from './metricPart.ts'

/** Reads raw-event files away from the main thread, and computes metrics from them. */
export interface ComputePool {
  plan(input: PlanInput, sourceFiles: RawSourceFiles, signal?: AbortSignal): Promise<ComputePlan>
  rows(task: ComputeTask, signal?: AbortSignal): Promise<MetricRows[]>
  /** Validates a file that another engine computed, down to its last value. */
  checkPart(part: MetricPart, signal?: AbortSignal): Promise<PartFacts>
  /** Reads rows of a validated file. */
  readPart(range: PartRange, signal?: AbortSignal): Promise<MetricRows>
  /** Encodes rows of a metric file. The rows cannot be used afterwards, because threads take over their memory. */
  encode(rows: RowsToEncode): Promise<EncodedRows>
  close(): Promise<void>
}

export const computeThreads = () => Math.min(4, availableParallelism())

interface Workers extends Pick<ComputePool, 'encode' | 'close'> {
  run(work: ComputeWork, signal?: AbortSignal): Promise<ComputeAnswer>
}

const poolOf = ({ run, encode, close }: Workers): ComputePool => ({
  plan: (input, sourceFiles, signal) => run({ kind: 'plan', input, sourceFiles }, signal) as Promise<ComputePlan>,
  rows: (task, signal) => run({ kind: 'rows', task }, signal) as Promise<MetricRows[]>,
  checkPart: (part, signal) => run({ kind: 'checkPart', part }, signal) as Promise<PartFacts>,
  readPart: async (range, signal) => ((await run({ kind: 'readPart', range }, signal)) as MetricRows[])[0],
  encode,
  close,
})

/** Creates a pool of threads, for files that were validated. */
export function createComputePool(threads: number): ComputePool {
  const entry = threadEntry('computeWorker', import.meta.url)
  const buffersOf = (work: ThreadWork) => (work.kind === 'encode' ? buffersOfRows(work.rows.parts) : [])
  const { run, close } = createThreadPool<ThreadWork, ComputeAnswer | EncodedRows>(entry, threads, { buffersOf })
  return poolOf({
    run: (work, signal) => run(work, signal) as Promise<ComputeAnswer>,
    encode: (rows) => run({ kind: 'encode', rows }) as Promise<EncodedRows>,
    close,
  })
}

const pathsOf = (work: ComputeWork): string[] => {
  if (work.kind === 'checkPart') return [work.part.path]
  if (work.kind === 'readPart') return [work.range.path]
  const files: { path: string }[] =
    work.kind === 'plan' ? Object.values(work.sourceFiles).flat() : Object.values(work.task.rowGroups).flat()
  return [...new Set(files.map(({ path }) => path))]
}

function limitsOf(work: ComputeWork): GuardLimits {
  const sizes = pathsOf(work).map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  return limitsForBytes(
    'compute',
    sizes.reduce((sum, size) => sum + size, 0),
  )
}

/** Number of files named in a message. */
const MOST_NAMED_FILES = 3

function filesText(work: ComputeWork): string {
  const names = pathsOf(work).map((path) => basename(path))
  const more = names.length - MOST_NAMED_FILES
  return [...names.slice(0, MOST_NAMED_FILES), ...(more > 0 ? [`${more} more`] : [])].join(' or ')
}

interface GuardedComputeOptions {
  start?: StartProcess | undefined
  processes?: number
  /** Entry of the process; tests pass one that misbehaves. */
  entry?: URL
}

/** Creates a pool of guarded processes, for files that were never validated or may have changed since. */
export function createGuardedComputePool({
  start = startNodeProcess,
  processes = computeThreads(),
  entry = threadEntry('computeProcess', import.meta.url),
}: GuardedComputeOptions = {}): ComputePool {
  const guard = createGuard<ComputeWork, ComputeAnswer>({
    start,
    entry,
    name: 'Perpscope metrics',
    processes,
    limitsOf,
    retireBytes: limitsForBytes('compute', 0).memoryBytes,
  })
  return poolOf({
    run: (work, signal) =>
      guard.run(work, signal).catch((thrown: unknown) => {
        if (!(thrown instanceof GuardStopped)) throw thrown
        if (thrown.reason === 'stalled') throw new AppError('internal', `${filesText(work)}: ${thrown.reasonText}.`)
        throw new AppError('corrupt-file', `${filesText(work)}: ${thrown.reasonText}.`)
      }),
    // Sending the rows to a process and their bytes back would take longer than encoding them.
    encode: encodeRows,
    close: guard.close,
  })
}
