import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import type { CalibrationAnswer, ForwardCurve, Score } from '#shared/contract/areas/ledger.ts'
import { AppError } from '#shared/contract/errors.ts'
import { createPortfolio } from '#core/portfolio/portfolio.ts'
import { fundingOf } from '#core/funding/instrumentFunding.ts'
import { createSeriesService } from '#core/series/seriesService.ts'
import { openLedger } from '#core/store/ledger/ledger.ts'
import { openStore } from '#core/store/store.ts'
import { answerTasks } from '#core/threads/answerTasks.ts'
import { recordedHistories } from './refreshHistories.ts'
import { calibrationOf, curveOf, scoresOf } from './scoreReport.ts'
import type { ScoreDeps } from './scoreDeps.ts'
import { type ScoreShare, updateScores } from './updateScores.ts'

/** This thread computes recorded runs anew and scores their forward days; it sends no request. */

answerTasks<ForwardTask, ForwardAnswers[ForwardWork['work']]>(answer)

export type ForwardWork =
  /** `cancelFlag` is memory shared with the caller, whose number is not 0 once the work is cancelled. */
  | ({ work: 'update'; cancelFlag: Int32Array } & ScoreShare)
  | { work: 'scores'; sequence: number | null }
  | { work: 'histories' }
  | { work: 'calibration' }
  | { work: 'curve'; hash: string }

export type ForwardTask = ForwardWork & { dataDir: string; nowMs: number }

export interface ForwardAnswers {
  update: { runs: number; days: number }
  histories: HistoryRequest[]
  scores: Score[]
  calibration: CalibrationAnswer
  curve: ForwardCurve
}

async function answer(
  task: ForwardTask,
  onProgress: (done: number, total: number) => void,
): Promise<ForwardAnswers[ForwardWork['work']]> {
  const opened = openAll(task)
  try {
    switch (task.work) {
      case 'update':
        return await updateScores(opened.deps, task, {
          onProgress,
          throwIfCancelled() {
            if (Atomics.load(task.cancelFlag, 0) !== 0) throw new AppError('cancelled')
          },
        })
      case 'histories':
        return recordedHistories(opened.deps.ledger)
      case 'scores':
        return scoresOf(opened.deps, task.sequence)
      case 'calibration': {
        const { calibration, tests } = calibrationOf(opened.deps)
        return { ...calibration, points: tests }
      }
      case 'curve':
        return curveOf(opened.deps, task.hash)
    }
  } finally {
    await opened.close()
  }
}

/** Opens the ledger and the index for this thread. */
function openAll({ dataDir, nowMs }: ForwardTask): { deps: ScoreDeps; close(): Promise<void> } {
  const [clock, log] = [{ nowMs: () => nowMs }, { write: () => undefined }]
  const ledger = openLedger({ dataDir, clock, log })
  const store = openStore({ dataDir, clock, log, refuseDamaged: true })
  const series = createSeriesService(store, clock)
  const access = () => Promise.reject(new AppError('offline'))
  const deps: ScoreDeps = {
    store,
    clock,
    ledger,
    dataDir,
    nowMs,
    changedFiles: null,
    connectionId: store.connections.active().id,
    openPortfolio: (connectionId) =>
      createPortfolio(store.portfolio, clock, {
        connectionId: connectionId === '' ? store.connections.active().id : connectionId,
        access,
      }),
    fundingOf: (request, signal) => fundingOf(series.deps, request, signal),
  }
  return {
    deps,
    async close() {
      await series.close()
      store.close()
      ledger.close()
    },
  }
}
