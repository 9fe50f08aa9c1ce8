import type * as z from '../../schemas/lazySchemas.ts'

/** A parsed document, or why it cannot be used, as a sentence. */
type ParsedDocument<Document> = { document: Document } | { problem: string }

/** A document that was opened. */
export interface OpenedDocument<Document> {
  id: string
  name: string
  document: Document
  /** Revision that every change increments; a save names the revision from which it started. */
  revision: number
}

/** How a kind of document is written as a file of its own, to share it. */
interface SharedFile<Document> {
  type: string
  mostBytes: number
  nameOf(name: string): string
  write(name: string, document: Document): string
  /** @param fileName names the document if the text does not */
  read(text: string, fileName: string): { name: string; document: Document } | { problem: string }
}

/** A kind of document that the user names and keeps. */
export interface DocumentKindSpec<
  Document,
  Facts extends object,
  State extends object,
  File extends SharedFile<Document> | null = SharedFile<Document> | null,
> {
  /** Noun for messages, such as `workspace`. */
  noun: string
  /** What a backup calls the number of its documents; programs read it, so it never changes. */
  inBackups: string
  schema: z.ZodType<Document>
  /** Parses a stored document. */
  open(value: unknown): ParsedDocument<Document>
  /** Returns the id of a document that is found by its name; left out if documents have ids of their own. */
  idOf?(name: string, document: Document): string
  /** Facts that a list shows, computed from the document whenever it is written. */
  facts(document: Document): Facts
  /** What a list shows that is not part of the document, as it is for a new one. */
  state: State
  /** Null for a kind that is not shared as files. */
  file: File
}

export const defineKind = <
  Document,
  Facts extends object,
  State extends object,
  File extends SharedFile<Document> | null,
>(
  kind: DocumentKindSpec<Document, Facts, State, File>,
): DocumentKindSpec<Document, Facts, State, File extends null ? null : SharedFile<Document>> => kind as never

/** Returns a parser of stored documents that follow a schema. */
export const openBy =
  <Document>(schema: z.ZodType<Document>) =>
  (value: unknown): ParsedDocument<Document> => {
    const parsed = schema.safeParse(value)
    return parsed.success ? { document: parsed.data } : { problem: 'It was written by another version of Perpscope.' }
  }
