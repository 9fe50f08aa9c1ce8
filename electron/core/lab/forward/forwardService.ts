import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CalibrationAnswer, ForwardCurve, Score } from '#shared/contract/areas/ledger.ts'
import type { OpenPortfolio } from '#core/portfolio/portfolios.ts'
import type { Clock } from '#core/ports.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import { refreshHistories } from './refreshHistories.ts'
import type { ForwardAnswers, ForwardTask, ForwardWork } from './forwardWorker.ts'

/** Scores recorded runs on days that came later, in threads. */
export interface ForwardService {
  /** Scores the forward days that can be scored now; a cancelled call keeps what was scored. */
  update(signal: AbortSignal, onProgress?: (done: number, total: number) => void): Promise<ForwardAnswers['update']>
  /** The scores of all runs, or of one, from the days that were scored. */
  scores(sequence: number | null, signal: AbortSignal): Promise<Score[]>
  calibration(signal: AbortSignal): Promise<CalibrationAnswer>
  /** The scored days of the run with this hash. */
  curve(hash: string, signal: AbortSignal): Promise<ForwardCurve>
  close(): Promise<void>
}

const THREADS = 2
/** Scoring makes much garbage and keeps little, so a small young generation costs no time and saves a third of the memory. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 }

interface ForwardServiceDeps {
  dataDir: string
  clock: Clock
  /** Fetches what runs read of the portfolio service; null to score with what is here. */
  openPortfolio: OpenPortfolio | null
}

export function createForwardService({ dataDir, clock, openPortfolio }: ForwardServiceDeps): ForwardService {
  const startPool = (threads: number) =>
    createThreadPool<ForwardTask, ForwardAnswers[ForwardWork['work']]>(
      threadEntry('forwardWorker', import.meta.url),
      threads,
      { resourceLimits },
    )
  // What was scored is read on a thread of its own, so that a page does not wait until everything is scored.
  const [scoring, reading] = [startPool(THREADS), startPool(1)]
  const run = <Work extends ForwardWork['work']>(
    work: Extract<ForwardWork, { work: Work }>,
    signal: AbortSignal,
    onProgress?: (done: number, total: number) => void,
  ) =>
    (work.work === 'update' ? scoring : reading).run(
      { ...work, dataDir, nowMs: clock.nowMs() },
      signal,
      onProgress,
    ) as Promise<ForwardAnswers[Work]>

  return {
    async update(signal, onProgress) {
      // Without a ledger there is nothing to score, and no thread is started.
      if (!existsSync(join(dataDir, 'ledger.jsonl'))) return { runs: 0, days: 0 }
      if (openPortfolio)
        await refreshHistories({ openPortfolio, clock }, await run({ work: 'histories' }, signal), signal)
      const shares = Array.from({ length: THREADS }, () => ({ done: 0, total: 0 }))
      const cancelFlag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
      signal.addEventListener('abort', () => void Atomics.store(cancelFlag, 0, 1), { once: true })
      const sumOf = (key: 'done' | 'total') => shares.reduce((sum, share) => sum + share[key], 0)
      const answers = await Promise.all(
        shares.map((share, part) =>
          run({ work: 'update', part, parts: THREADS, cancelFlag }, signal, (done, total) => {
            Object.assign(share, { done, total })
            onProgress?.(sumOf('done'), sumOf('total'))
          }),
        ),
      )
      return {
        runs: answers.reduce((sum, { runs }) => sum + runs, 0),
        days: answers.reduce((sum, { days }) => sum + days, 0),
      }
    },
    scores: (sequence, signal) => run({ work: 'scores', sequence }, signal),
    calibration: (signal) => run({ work: 'calibration' }, signal),
    curve: (hash, signal) => run({ work: 'curve', hash }, signal),
    async close() {
      await Promise.all([scoring.close(), reading.close()])
    },
  }
}
