import { documentName } from './fileNames.ts'
import { notJsonText, parseBoundedJson } from './jsonLimits.ts'

const LONGEST_NAME = 120

/** A kind of file that stores a named document, without connection or key. */
interface DocumentFileKind<Document> {
  /** Value of the file's `format` field, such as `perpscope workspace`. */
  format: string
  /** Start of the message about a file of another kind, such as `It is not a workspace`. */
  wrongKind: string
  /** Name for documents without one. */
  defaultName: string
  /** @param document value of the file's field `document`; undefined if it has none */
  read(document: unknown): { document: Document } | { problem: string }
}

/**
 * Defines a kind of file.
 * @returns its writer, and its reader, which says what is wrong with a file
 */
export const documentFile = <Document extends object>(kind: DocumentFileKind<Document>) => ({
  write: (name: string, document: Document): string =>
    `${JSON.stringify({ format: kind.format, name, document }, null, 2)}\n`,
  read: (text: string): { name: string; document: Document } | { problem: string } => readDocumentFile(text, kind),
})

function readDocumentFile<Document>(
  text: string,
  { format, wrongKind, defaultName, read }: DocumentFileKind<Document>,
): { name: string; document: Document } | { problem: string } {
  let value: unknown
  try {
    value = parseBoundedJson(text)
  } catch (thrown) {
    return { problem: `${wrongKind}: ${notJsonText(thrown)}.` }
  }
  if (typeof value !== 'object' || value === null || !('format' in value) || value.format !== format)
    return { problem: `${wrongKind} of Perpscope.` }
  const found = read('document' in value ? value.document : undefined)
  if ('problem' in found) return found
  const name = 'name' in value && typeof value.name === 'string' ? documentName(value.name, LONGEST_NAME) : ''
  return { name: name || defaultName, document: found.document }
}
