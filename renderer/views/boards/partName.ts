import type { BoardContent } from '#shared/contract/areas/boards.ts'
import { boardsText } from '../../text/boards.ts'

/** Names a part by what it was made from. */
export function partName(content: BoardContent): string {
  const { kinds } = boardsText
  switch (content.kind) {
    case 'workbench':
    case 'sql':
      return content.name || kinds[content.kind]
    case 'tearsheet':
      return content.portfolio ?? kinds.tearsheet
    case 'study':
      return nameOf(content.document) || kinds.study
    case 'text':
      return firstLine(content.markdown) || boardsText.part.note
  }
}

const nameOf = (document: unknown): string =>
  typeof document === 'object' && document !== null && 'name' in document && typeof document.name === 'string'
    ? document.name
    : ''

const firstLine = (markdown: string): string => (/\S.*/.exec(markdown)?.[0] ?? '').replace(/^#+\s*/, '').slice(0, 60)
