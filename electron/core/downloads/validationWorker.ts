/** Entry of the worker thread that validates and commits files. */
import { createFolderSync, type SyncFolder } from '#core/store/cacheFolder.ts'
import { answerTasks } from '#core/threads/answerTasks.ts'
import { taskError } from '#core/threads/taskError.ts'
import type { ValidationResult, ValidationTask } from './validationPool.ts'
import { commitFile, validateParquet, type CommitTask } from './verifyFile.ts'

const folderSyncs = new Map<string, SyncFolder>()

function folderSyncOf(root: string): SyncFolder {
  const known = folderSyncs.get(root) ?? createFolderSync(root)
  folderSyncs.set(root, known)
  return known
}

const commit = (task: CommitTask): Promise<ValidationResult> =>
  commitFile(task, folderSyncOf(task.root)).then((validated) => ({ validated }), taskError)

answerTasks<ValidationTask, ValidationResult[]>((task) =>
  task.kind === 'validate'
    ? [{ validated: validateParquet(task.path, undefined, task.deep) }]
    : Promise.all(task.tasks.map(commit)),
)
