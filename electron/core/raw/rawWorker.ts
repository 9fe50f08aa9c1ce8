/** Thread entry: work on files of raw events. */
import { answerTasks } from '#core/threads/answerTasks.ts'
import { runRawTask, type RawResult, type RawTask } from './rawTask.ts'

answerTasks<RawTask, RawResult>(runRawTask)
