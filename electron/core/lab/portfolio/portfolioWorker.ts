import { answerWork } from '#core/guard/answerWork.ts'
import { PanelError } from '#shared/lab/panel.ts'
import { StudyError } from '#shared/lab/studyDocument.ts'
import { type PortfolioReply, type PortfolioTask, runPortfolioTask } from './portfolioTask.ts'

answerWork<PortfolioTask, PortfolioReply>(reply)

async function reply(task: PortfolioTask): Promise<PortfolioReply> {
  try {
    return { answer: await runPortfolioTask(task) }
  } catch (error) {
    if (error instanceof StudyError) return { refused: 'study', field: error.field, message: error.message }
    if (error instanceof PanelError) return { refused: 'panel', message: error.message }
    throw error
  }
}
