import type { CallsOf, Handlers } from '#core/handler.ts'
import { contentOfSource, followedBoard } from '#core/record/boardSources.ts'
import type { RecordService } from '#core/record/recordService.ts'
import type { Documents } from '#core/store/documentStore.ts'
import { asRefusal } from './report.ts'

export const boardHandlers = (
  reports: () => Promise<RecordService>,
  documents: Documents,
): Handlers<CallsOf<'boards'>> => ({
  'boards.content'({ source }) {
    const content = contentOfSource(documents, source)
    if (content === null) throw documents[source.kind].notFoundError()
    return content
  },
  'boards.followed': ({ document }) => followedBoard(documents, document),
  'boards.answer': async ({ connectionId, content }, { signal }) => {
    const service = await reports()
    const answer = await asRefusal(() => service.boardPart(content, { connectionId, signal }))
    const { definitions: _, sources, ...partAnswer } = answer
    return { ...partAnswer, sources: sources.length }
  },
})
