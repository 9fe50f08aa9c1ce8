import { answerWork } from '#core/guard/answerWork.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import { type OnStage, type StudyStage, studyStages } from '#shared/lab/studyInput.ts'
import { packedBuffers, packing, packLists } from './packedResult.ts'
import type { Checkpoint } from '#shared/lab/checkpoint.ts'
import { runPanelStudy } from './panelStudy.ts'
import type { StudyTask } from './studyTask.ts'
import { OtherParts, partsOfScreen } from './screenParts.ts'
import { answerOrRefusal, type StudyRefusal } from '#shared/contract/studyRefusal.ts'
import { writePanel } from './writePanel.ts'

/** Entry of the thread or process that runs studies and writes their panels. */

answerWork<LabTask, PackedAnswer>(runLabTask, packedBuffers)

/** A study to run, or one whose panel is to be written to a file. */
export interface LabTask extends StudyTask {
  panelOutPath: string | null
  /**
   * Memory shared with the caller; its single number is non-zero once the task is cancelled. Absent if the task runs in
   * another process.
   */
  cancelFlag?: Int32Array
}

/** An answer as the thread sends it, with its long lists packed. */
export type PackedAnswer = { packed: unknown } | Exclude<LabAnswer, { result: unknown }>

/**
 * The result of a study or the panel written, or why there is neither: `study` for an invalid document or formula,
 * `panel` for unusable rows.
 */
export type LabAnswer = { result: StudyResult } | { written: { path: string; rows: number } } | StudyRefusal

/** Runs a study, a large screen together with other threads. */
async function runInThreads(task: LabTask, onStage: OnStage, checkpoint: Checkpoint): Promise<StudyResult> {
  const [own, ...otherTasks] = partsOfScreen(task)
  if (otherTasks.length === 0) return runPanelStudy(task, onStage, checkpoint, packing)
  using others = new OtherParts(otherTasks)
  return await runPanelStudy(task, onStage, checkpoint, packing, { own, others: () => others.parts() })
}

async function runLabTask(task: LabTask, onProgress: (done: number, total: number) => void): Promise<PackedAnswer> {
  const checkpoint = () => {
    if (task.cancelFlag && Atomics.load(task.cancelFlag, 0) !== 0) throw new AppError('cancelled')
  }
  const onStage = (stage: StudyStage, share: number) => {
    checkpoint()
    onProgress(studyStages.indexOf(stage) + share, studyStages.length)
  }
  return answerOrRefusal(async () => {
    if (task.panelOutPath === null) return { packed: packLists(await runInThreads(task, onStage, checkpoint)) }
    const rows = await writePanel(task, task.panelOutPath, onStage, checkpoint)
    return { written: { path: task.panelOutPath, rows } }
  })
}
