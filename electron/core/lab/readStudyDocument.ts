import { readSmallFile } from '#core/smallFile.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { unwrapStudy } from '#shared/lab/studyFile.ts'
import { withoutComments } from '#shared/units/jsonComments.ts'
import { JsonExcess, parseBoundedJson } from '#shared/units/jsonLimits.ts'

/** Reads a study document from a file; throws a `StudyError` if the file cannot be read as JSON. */
export function readStudyDocument(path: string): unknown {
  try {
    return unwrapStudy(parseBoundedJson(withoutComments(readSmallFile(path))))
  } catch (error) {
    if (error instanceof JsonExcess) throw new StudyError(path, `cannot be read: ${error.message}.`)
    if (error instanceof SyntaxError) throw new StudyError(path, `cannot be read as JSON (${error.message}).`)
    const { detail, sentence } = toAppError(error)
    throw new StudyError(path, (detail ?? sentence).replace(`${path} `, '').replace(` ${path}`, ''))
  }
}
