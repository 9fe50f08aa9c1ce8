import { resolve } from 'node:path'
import { toAppError } from '#shared/contract/errors.ts'
import { decodeText } from '#shared/units/textEncoding.ts'
import { readSmallBytes } from '#core/smallFile.ts'
import { Failure } from './failure.ts'
import { failureText } from './text/messages.ts'

/** Reads the text file that an argument names. */
export function readGivenText(path: string, mostCharacters: number): string {
  // A character takes at most four bytes in every supported encoding.
  const content = textOf(path, mostCharacters * 4)
  if (content.length > mostCharacters) throw new Failure(failureText.tooLargeFile(path, mostCharacters))
  return content
}

function textOf(path: string, mostBytes: number): string {
  try {
    return decodeText(readSmallBytes(resolve(path), mostBytes))
  } catch (thrown) {
    const { detail, sentence } = toAppError(thrown)
    throw new Failure(detail ?? sentence)
  }
}
