import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Failure } from './failure.ts'
import { failureText } from './text/messages.ts'

/** Reads the text file that an argument names. */
export async function readGivenText(path: string, mostCharacters: number): Promise<string> {
  const content = await readFile(resolve(path), 'utf8').catch((cause: unknown) => {
    throw new Failure(failureText.unreadableFile(path, cause instanceof Error ? cause.message : String(cause)))
  })
  if (content.length > mostCharacters) throw new Failure(failureText.tooLargeFile(path))
  return content
}
