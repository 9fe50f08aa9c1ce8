/** This file is the entry of the process that works in the folder of a store. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import type { FolderTask } from './folderWorker.ts'
import { folderWork } from './folderWork.ts'

/** Every task counts as quick, so that a task that waits for the folder does not delay the others. */
answerGuarded<FolderTask, unknown>(
  ({ call, args }) => (folderWork[call] as (...args: readonly unknown[]) => unknown)(...args),
  () => {},
  () => true,
)
