import { answerTasks } from '#core/threads/answerTasks.ts'
import { runQualityTask } from './runQualityTask.ts'
import type { QualityResult, QualityTask } from './qualityTask.ts'

/** This thread finds faults in cached files. */
answerTasks<QualityTask, QualityResult>(runQualityTask)
