/** Entry of the worker thread that writes files and moves validated ones into place. */
import { createFolderSyncer, type SyncFolder } from '#core/store/cacheFolder.ts'
import { answerTasks } from '#core/threads/answerTasks.ts'
import { taskError } from '#core/threads/taskError.ts'
import type { DiskResult, DiskTask } from './validationPool.ts'
import { type FileLocation, placeFile, syncPart, writeCommit } from './verifyFile.ts'

const folderSyncByRoot = new Map<string, SyncFolder>()

function folderSyncOf(root: string): SyncFolder {
  const folderSync = folderSyncByRoot.get(root) ?? createFolderSyncer(root)
  folderSyncByRoot.set(root, folderSync)
  return folderSync
}

const resultOf = async (work: () => string | null | Promise<void>): Promise<DiskResult> => {
  try {
    const sha256 = await work()
    return sha256 ? { sha256 } : null
  } catch (thrown) {
    return taskError(thrown)
  }
}

answerTasks<DiskTask, DiskResult[]>((task) => {
  if (task.kind === 'write') return Promise.all(task.tasks.map((commit) => resultOf(() => writeCommit(commit))))
  const work = task.kind === 'sync' ? syncPart : (place: FileLocation) => placeFile(place, folderSyncOf(place.root))
  return Promise.all(task.places.map((place) => resultOf(() => work(place))))
})
