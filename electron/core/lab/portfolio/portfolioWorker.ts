import { answerWork } from '#core/guard/answerWork.ts'
import { answerOrRefusal } from '#shared/contract/studyRefusal.ts'
import { type PortfolioReply, type PortfolioTask, runPortfolioTask } from './portfolioTask.ts'

answerWork<PortfolioTask, PortfolioReply>(reply)

function reply(task: PortfolioTask): Promise<PortfolioReply> {
  return answerOrRefusal(async () => ({ answer: await runPortfolioTask(task) }))
}
