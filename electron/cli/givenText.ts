import { resolve } from 'node:path'
import { toAppError } from '#shared/contract/errors.ts'
import { readSmallFile } from '#core/smallFile.ts'
import { Failure } from './failure.ts'
import { failureText } from './text/messages.ts'

/** Reads the text file that an argument names. */
export function readGivenText(path: string, mostCharacters: number): string {
  const content = textOf(path)
  if (content.length > mostCharacters) throw new Failure(failureText.tooLargeFile(path))
  return content
}

function textOf(path: string): string {
  try {
    return readSmallFile(resolve(path))
  } catch (thrown) {
    const { detail, sentence } = toAppError(thrown)
    throw new Failure(detail ?? sentence)
  }
}
