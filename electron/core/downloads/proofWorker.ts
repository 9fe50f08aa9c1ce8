/** Thread entry: takes files in. */
import { createFolderSync, type SyncFolder } from '#core/store/fileWriter.ts'
import { answerTasks } from '#core/threads/answerTasks.ts'
import { taskError } from '#core/threads/taskError.ts'
import { proveFile } from './proof.ts'
import type { ProofResult, ProofTask } from './proofPool.ts'
import { takeIn, type TakeInTask } from './takeIn.ts'

const folderSyncs = new Map<string, SyncFolder>()

function folderSyncOf(root: string): SyncFolder {
  const known = folderSyncs.get(root) ?? createFolderSync(root)
  folderSyncs.set(root, known)
  return known
}

const takenIn = (task: TakeInTask) => takeIn(task, folderSyncOf(task.root)).then((proof) => ({ proof }), taskError)

answerTasks<ProofTask, ProofResult[]>((task) =>
  task.kind === 'prove'
    ? [{ proof: proveFile(task.path, undefined, task.deep) }]
    : Promise.all(task.tasks.map(takenIn)),
)
