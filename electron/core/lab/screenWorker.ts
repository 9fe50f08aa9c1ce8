import { AppError } from '#shared/contract/errors.ts'
import { answerOrRefusal } from '#shared/contract/studyRefusal.ts'
import { answerTasks } from '#core/threads/answerTasks.ts'
import { openPanel, scorePart } from './panelStudy.ts'
import type { PartAnswer, ScreenTask } from './screenParts.ts'

/** Entry of the thread that scores a part of the columns of a screen. */

answerTasks<ScreenTask, PartAnswer>((task) =>
  answerOrRefusal(async () => {
    const checkpoint = () => {
      if (task.cancelFlag && Atomics.load(task.cancelFlag, 0) !== 0) throw new AppError('cancelled')
    }
    const opened = await openPanel(task, task.rows, { checkpoint })
    try {
      return { part: scorePart(task, opened, { onStage: () => undefined, checkpoint }) }
    } finally {
      opened.close()
    }
  }),
)
