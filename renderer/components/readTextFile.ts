import { AppError } from '#shared/contract/errors.ts'
import { formatBytes } from '#shared/units/bytes.ts'
import { decodeText } from '#shared/units/textEncoding.ts'

/** Reads a text file that the user chose; a file that is too large is refused without reading it. */
export async function readTextFile(file: File, mostCharacters: number): Promise<string> {
  // A character has at most four bytes in any supported encoding.
  const mostBytes = 4 * mostCharacters
  if (file.size > mostBytes)
    throw new AppError(
      'too-large',
      `“${file.name}” is ${formatBytes(file.size)}; the limit is ${formatBytes(mostBytes)}.`,
    )
  return decodeText(new Uint8Array(await file.arrayBuffer()))
}
