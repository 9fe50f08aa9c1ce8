import type { CallsOf, Handlers } from '#core/handler.ts'
import type { RecordService } from '#core/record/recordService.ts'
import { asRefusal } from './report.ts'

export const boardHandlers = (reports: () => Promise<RecordService>): Handlers<CallsOf<'boards'>> => ({
  'boards.answer': async ({ connectionId, content }, { signal }) => {
    const service = await reports()
    const answer = await asRefusal(() => service.boardPart(content, { connectionId, signal }))
    const { definitions: _, sources, ...partAnswer } = answer
    return { ...partAnswer, sources: sources.length }
  },
})
