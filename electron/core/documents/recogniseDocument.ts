import type { OpenableKind } from '#shared/contract/areas/files.ts'
import { QUERY_SUFFIX } from '#shared/sql/queryFile.ts'
import { withoutComments } from '#shared/units/jsonComments.ts'
import { notJsonText, parseBoundedJson } from '#shared/units/jsonLimits.ts'
import type { Problem } from './documentText.ts'

const kinds: Readonly<Record<string, OpenableKind>> = {
  'perpscope workspace': 'workspace',
  'perpscope study': 'study',
  'perpscope board': 'board',
}

/** Recognises the kind of a user's document by its content, because all documents but queries may be named `.json`. */
export function recogniseDocument(fileName: string, text: string): { kind: OpenableKind } | Problem {
  if (fileName.toLowerCase().endsWith(QUERY_SUFFIX)) return { kind: 'query' }
  let value: unknown
  try {
    value = parseBoundedJson(withoutComments(text))
  } catch (thrown) {
    return { problem: `cannot be opened: ${notJsonText(thrown)}.` }
  }
  const { format, kind } = Object(value) as Record<string, unknown>
  if (typeof format === 'string' && Object.hasOwn(kinds, format)) return { kind: kinds[format] }
  if (format === 'perpscope download set')
    return {
      problem: 'is a download set. Sets are read from the documents folder; see Settings → Documents folder.',
    }
  if (format === 'perpscope own dataset')
    return {
      problem:
        'is the recipe of a dataset of one’s own. Recipes are read from the documents folder; see Settings → Documents folder.',
    }
  // A study that was written by hand has no format.
  if (format === undefined && typeof kind === 'string') return { kind: 'study' }
  return { problem: 'is not a workspace, study, board or query of Perpscope.' }
}
