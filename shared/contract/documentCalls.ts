import * as z from '../schemas/lazySchemas.ts'
import { singleLine } from '../units/fileNames.ts'
import type { CallSpec } from './spec.ts'

const id = z.string().min(1).max(100)

/** Maximum length of the name of a document. */
export const MOST_NAME_LENGTH = 120

/** Name of a document, as a person types it; stored as its file would contain it. */
export const documentName = z.string().overwrite(singleLine).min(1, 'must not be empty').max(MOST_NAME_LENGTH)

const inputs = <Document extends z.ZodType>(document: Document) => ({
  list: z.strictObject({}),
  read: z.strictObject({ id }),
  create: z.strictObject({ name: documentName, document }),
  save: z.strictObject({ id, document, revision: z.int().optional() }),
  rename: z.strictObject({ id, name: documentName }),
  remove: z.strictObject({ id }),
})

interface Outputs<Listed, Opened> {
  /** Lists documents, most recently changed first. */
  list: Listed[]
  read: Opened
  /** Creates a document; a name that is taken gets a number, such as `Basis 2`. */
  create: Opened
  /**
   * Saves a document; refused (`conflict`) if another window saved since `revision`. Without a revision it always
   * overwrites.
   */
  save: { revision: number }
  rename: Opened
  remove: null
}

type Inputs<Document extends z.ZodType> = ReturnType<typeof inputs<Document>>

/** Calls that every kind of document has, by their names in the area of that kind. */
type DocumentCalls<Area extends string, Document extends z.ZodType, Listed, Opened> = {
  [Name in keyof Inputs<Document> as `${Area}.${Name}`]: CallSpec<Inputs<Document>[Name], Outputs<Listed, Opened>[Name]>
}

/** Location of an exported document; null if the user cancelled. */
export type ExportedDocument = { name: string; path: string | null } | null

/** Builds the calls of an area for documents that the user creates, lists and saves. */
export const documentCalls =
  <Listed, Opened>() =>
  <Area extends string, Document extends z.ZodType>(area: Area, document: Document) =>
    Object.fromEntries(
      Object.entries(inputs(document)).map(([call, input]) => [`${area}.${call}`, { input }]),
    ) as unknown as DocumentCalls<Area, Document, Listed, Opened>
