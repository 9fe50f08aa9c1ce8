import { AppError } from '#shared/contract/errors.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createThreadPool } from '#core/threads/threadPool.ts'
import type { InspectAnswer, Inspections, InspectTask, PanelFileFacts } from './inspectWorker.ts'
import type { StudyTask } from './panelStudy.ts'

/** Answers questions about the cells of a study on a thread that keeps the last panel open. */
export interface StudyInspector {
  /** Rejects with `bad-input` where the study or its rows are refused. */
  inspect<Kind extends keyof Inspections>(
    kind: Kind,
    task: StudyTask,
    query: Inspections[Kind]['query'],
    signal?: AbortSignal,
  ): Promise<Inspections[Kind]['result']>
  fileFacts(path: string, signal?: AbortSignal): Promise<PanelFileFacts>
  close(): Promise<void>
}

export function createStudyInspector(): StudyInspector {
  const pool = createThreadPool<InspectTask, InspectAnswer>(threadEntry('inspectWorker', import.meta.url), 1)
  async function ask(task: InspectTask, signal: AbortSignal | undefined) {
    const answer = await pool.run(task, signal)
    if ('refused' in answer) throw new AppError('bad-input', answer.message)
    return answer.result
  }
  return {
    inspect: (kind, task, query, signal) => ask({ kind, task, query } as InspectTask, signal) as Promise<never>,
    fileFacts: (path, signal) => ask({ kind: 'file', path }, signal) as Promise<PanelFileFacts>,
    close: pool.close,
  }
}
