/** Entry of the worker thread that writes files and puts validated ones in their place. */
import { createFolderSync, type SyncFolder } from '#core/store/cacheFolder.ts'
import { answerTasks } from '#core/threads/answerTasks.ts'
import { taskError } from '#core/threads/taskError.ts'
import type { DiskResult, DiskTask } from './validationPool.ts'
import { placeFile, writeCommit } from './verifyFile.ts'

const folderSyncs = new Map<string, SyncFolder>()

function folderSyncOf(root: string): SyncFolder {
  const known = folderSyncs.get(root) ?? createFolderSync(root)
  folderSyncs.set(root, known)
  return known
}

const done = async (work: () => void | Promise<void>): Promise<DiskResult> => {
  try {
    await work()
    return null
  } catch (thrown) {
    return taskError(thrown)
  }
}

answerTasks<DiskTask, DiskResult[]>((task) =>
  task.kind === 'write'
    ? Promise.all(task.tasks.map((commit) => done(() => writeCommit(commit))))
    : Promise.all(task.places.map((place) => done(() => placeFile(place, folderSyncOf(place.root))))),
)
