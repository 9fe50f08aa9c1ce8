import type { BoardContent } from '../contract/areas/boards.ts'
import type { PartQuery } from './reportContent.ts'

/**
 * Returns the name of the document or portfolio that a part of a board shows, or the first line of a text; empty if
 * there is none.
 */
export function partContentName(part: PartQuery | BoardContent): string {
  switch (part.kind) {
    case 'workbench':
    case 'sql':
      return part.name ?? ''
    case 'tearsheet':
      return part.portfolio ?? ''
    case 'study':
      return nameOf(part.document)
    case 'plan':
      return typeof part.weights === 'string' ? part.weights : part.weights.file
    case 'calibration':
      return ''
    case 'text':
      return firstLine(part.markdown)
  }
}

const nameOf = (document: unknown): string =>
  typeof document === 'object' && document !== null && 'name' in document && typeof document.name === 'string'
    ? document.name
    : ''

const firstLine = (markdown: string): string => (/\S.*/.exec(markdown)?.[0] ?? '').replace(/^#+\s*/, '').slice(0, 60)
