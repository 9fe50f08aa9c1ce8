import { type ChangedFiles, runValidated } from '#core/series/changedFiles.ts'
import { threadEntry } from '#core/threads/threadEntry.ts'
import { createWorkPool } from '#core/guard/workPool.ts'
import type { StartProcess } from '#core/ports.ts'
import type { InspectAnswer, Inspections, InspectTask, PanelFileFacts } from './inspectWorker.ts'
import type { PanelFile } from './panelCheck.ts'
import { cachedRowsOf, type StudyTask } from './studyTask.ts'
import { badInput, refusalError } from '#shared/contract/studyRefusal.ts'

/** Answers queries about the cells of a study, in a thread or process that keeps the last panel open. */
interface StudyInspector {
  /** Rejects with `bad-input` if the study or its rows are refused. */
  inspect<Kind extends keyof Inspections>(
    kind: Kind,
    task: StudyTask,
    query: Inspections[Kind]['query'],
    signal?: AbortSignal,
  ): Promise<Inspections[Kind]['result']>
  fileFacts(file: PanelFile, signal?: AbortSignal): Promise<PanelFileFacts>
  close(): Promise<void>
}

/** @param changedFiles detects files changed outside the app; null to trust the cache folder */
export function createStudyInspector(changedFiles: ChangedFiles | null, startProcess?: StartProcess): StudyInspector {
  const pool = createWorkPool<InspectTask, InspectAnswer>(threadEntry('inspectWorker', import.meta.url), {
    name: 'Perpscope study cells',
    size: 1,
    startProcess,
  })
  async function runTask(task: InspectTask, signal: AbortSignal | undefined) {
    const answer = await pool.run(task, signal)
    if ('refused' in answer) throw badInput(refusalError(answer))
    return answer.result
  }
  return {
    inspect(kind, task, query, signal) {
      const work = () => runTask({ kind, task, query } as InspectTask, signal) as Promise<never>
      return runValidated(changedFiles, cachedRowsOf(task), work, signal)
    },
    fileFacts: (file, signal) => runTask({ kind: 'file', file }, signal) as Promise<PanelFileFacts>,
    close: pool.close,
  }
}
