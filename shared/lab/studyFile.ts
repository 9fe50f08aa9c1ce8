import { documentName } from '../units/fileNames.ts'
import { withoutComments } from '../units/jsonComments.ts'
import { notJsonText, parseBoundedJson } from '../units/jsonLimits.ts'
import { labKinds } from './kinds.ts'

/**
 * File name suffix of a shared study. Such a file has the document that `perpscope study run` accepts, without the
 * paths of local panels.
 */
export const STUDY_SUFFIX = '.study.json'
export const MOST_STUDY_BYTES = 1_000_000
const LONGEST_NAME = 120

export const writeStudyFile = (name: string, study: Record<string, unknown>): string =>
  `${JSON.stringify({ ...study, name }, null, 2)}\n`

/** Returns the study and name in a file of the documents folder; any other value is returned unchanged. */
export function unwrapStudy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('format' in value) || value.format !== 'perpscope study')
    return value
  const { name, document } = value as { name?: unknown; document?: unknown }
  return typeof document === 'object' && document !== null ? { ...document, name } : value
}

/** Parses the study in a file, or says what is wrong with it. Its fields are checked only when it is run. */
export function readStudyFile(
  text: string,
  fileName: string,
): { name: string; study: Record<string, unknown> } | { problem: string } {
  let study: unknown
  try {
    study = unwrapStudy(parseBoundedJson(withoutComments(text)))
  } catch (thrown) {
    return { problem: `This is not a study: ${notJsonText(thrown)}.` }
  }
  if (typeof study !== 'object' || study === null || Array.isArray(study))
    return { problem: 'This is not a study: the file is not a JSON object.' }
  const { kind, version, name } = study as Record<string, unknown>
  if (version !== 1 || !labKinds.some((each) => each === kind))
    return { problem: `This is not a study: version must be 1 and kind one of ${labKinds.join(', ')}.` }
  const nameInFile = typeof name === 'string' ? documentName(name, LONGEST_NAME) : ''
  return { name: nameInFile || nameOfFile(fileName), study: study as Record<string, unknown> }
}

const nameOfFile = (fileName: string): string =>
  documentName(fileName.replace(/(\.study)?\.json$/i, ''), LONGEST_NAME) || 'Study'
