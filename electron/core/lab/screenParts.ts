import { availableParallelism } from 'node:os'
import { namedDatasets } from '#shared/lab/cacheColumns.ts'
import { formulasOf } from '#shared/lab/kinds.ts'
import type { ScreenStudy } from '#shared/lab/kinds/screen/fields.ts'
import type { ScreenPart } from '#shared/lab/kinds/screen/screenPart.ts'
import { MOST_IN_MEMORY_BYTES, studyBytes } from '#shared/lab/panel.ts'
import { refusalError, type StudyRefusal } from '#shared/contract/studyRefusal.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool, type ThreadPool } from '#core/threads/threadPool.ts'
import type { CachePlan } from './cachePlan.ts'
import { type CacheRows, planSize, type StudyTask } from './studyTask.ts'

/** A screen of cached files, or of a part of its columns. */
export type ScreenTask = StudyTask & { study: ScreenStudy; rows: CacheRows; cancelFlag?: Int32Array }
export type PartAnswer = { part: ScreenPart } | StudyRefusal

/** Number of values of formulas from which a second thread pays for its start. */
const LEAST_VALUES = 4_000_000
const THREADS = Math.min(2, availableParallelism())
/** Time that the thread of a cancelled screen may go on; it has nothing to clean up. */
const CANCELLED_TASK_TIMEOUT_MS = 50

let pool: ThreadPool<ScreenTask, PartAnswer> | null = null

/**
 * Divides the columns of a large screen of cached files among threads: one task each, the first for this thread; only
 * the task itself if it is small or no screen of cached files.
 */
export function partsOfScreen(task: StudyTask, threads = THREADS, leastValues = LEAST_VALUES): StudyTask[] {
  const { study, rows, columns: cachedColumns } = task
  if (study.kind !== 'screen' || !('plan' in rows)) return [task]
  const columns = study.columns ?? cachedColumns ?? []
  const { timeCount, symbolCount, columnCount } = planSize(rows.plan)
  const mostBytes = task.mostMemoryBytes ?? MOST_IN_MEMORY_BYTES
  const isInMemory = studyBytes(timeCount * symbolCount, columnCount) <= mostBytes
  const values = columns.length * study.templates.length * timeCount * symbolCount
  if (!isInMemory || values < leastValues || columns.length < threads) return [task]
  return Array.from({ length: threads }, (_, at) => {
    const [from, to] = [at, at + 1].map((one) => Math.round((one * columns.length) / threads))
    const own = columns.slice(from, to)
    const ownStudy = study.columns ? { ...study, columns: own } : study
    const plan = planOfColumns(rows.plan, { ...study, columns: own })
    return {
      ...task,
      study: ownStudy,
      firstColumn: from,
      ...(cachedColumns && { columns: own }),
      rows: { ...rows, plan },
    }
  })
}

/** Keeps all datasets of a plan, because they make up the grid, but reads only the columns that a study names. */
function planOfColumns(plan: CachePlan, study: ScreenStudy): CachePlan {
  const named = new Map(namedDatasets(formulasOf(study)).map(({ dataset, columns }) => [dataset, columns]))
  const datasets = plan.datasets.map((dataset) => ({ ...dataset, columns: named.get(dataset.dataset) ?? [] }))
  return { ...plan, datasets }
}

/** Scores parts of a screen in other threads, until they are no longer needed. */
export class OtherParts implements Disposable {
  readonly #abort = new AbortController()
  readonly #answers: Promise<PartAnswer>[]

  constructor(tasks: readonly StudyTask[]) {
    pool ??= createThreadPool<ScreenTask, PartAnswer>(threadEntry('screenWorker', import.meta.url), THREADS - 1, {
      cancelledTaskTimeoutMs: CANCELLED_TASK_TIMEOUT_MS,
    })
    this.#answers = tasks.map((task) => pool!.run(task as ScreenTask, this.#abort.signal))
    // If this thread fails first, nobody waits for the others.
    for (const answer of this.#answers) answer.catch(() => undefined)
  }

  async parts(): Promise<ScreenPart[]> {
    const answers = await Promise.all(this.#answers)
    return answers.map((answer) => {
      if ('refused' in answer) throw refusalError(answer)
      return answer.part
    })
  }

  [Symbol.dispose](): void {
    this.#abort.abort()
  }
}
