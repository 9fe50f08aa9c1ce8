import { Readable } from 'node:stream'
import { AppError } from '#shared/contract/errors.ts'
import { BOARD_SUFFIX, MOST_BOARD_BYTES, boardFile } from '#shared/contract/boardFile.ts'
import { fileNameWithEnding } from '#shared/units/fileNames.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'
import type { RecordService } from '#core/record/recordService.ts'
import type { BoardStore } from '#core/store/boardStore.ts'
import { asRefusal } from './report.ts'
import { storedDocuments } from './storedDocuments.ts'

export interface BoardDeps {
  boards: BoardStore
  reports(): Promise<RecordService>
  received: ReceivedFiles
  bus: EventBus
}

export function boardHandlers({ boards, reports, received, bus }: BoardDeps): Handlers<CallsOf<'boards'>> {
  const documents = storedDocuments('boards', boards, () => void bus.emit('boards.changed', {}))
  return {
    ...documents.handlers,
    'boards.export': ({ name, document }, { host }) =>
      host.save({ name: fileNameWithEnding(name, BOARD_SUFFIX), type: 'application/json' }, () =>
        Readable.from([boardFile.write(name, document)]),
      ),
    'boards.import': async ({ file }) => {
      const { name: fileName, text } = await received.readText(file, MOST_BOARD_BYTES)
      // The file is forgotten, valid or not, so that the user can choose it again.
      received.remove([file])
      const read = boardFile.read(text)
      if ('problem' in read) throw new AppError('bad-input', `${fileName}: ${read.problem}`)
      return documents.reportChange(boards.create(read.name, read.document))
    },
    'boards.answer': async ({ connectionId, content }, { signal }) => {
      const service = await reports()
      const answer = await asRefusal(() => service.boardPart(content, { connectionId, signal }))
      const { definitions: _, sources, ...partAnswer } = answer
      return { ...partAnswer, sources: sources.length }
    },
  }
}
