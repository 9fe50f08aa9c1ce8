import * as z from '../../schemas/lazySchemas.ts'
import { documentKinds, type Listed, type Opened } from '../documents/documentKinds.ts'
import { type DocumentKind, documentKindNames } from '../documents/kindNames.ts'
import { documentName as name } from '../documentName.ts'
import { call, type PerKind } from '../spec.ts'

const id = z.string().min(1).max(700)
const kind = z.enum(documentKindNames)

/** Adds the kind and the document to the fields of an input, for each kind. */
type WithDocument<Fields> = {
  [Kind in DocumentKind]: Fields & { kind: Kind; document: z.output<(typeof documentKinds)[Kind]['schema']> }
}[DocumentKind]
type WithDocumentInput<Fields> = {
  [Kind in DocumentKind]: Fields & { kind: Kind; document: z.input<(typeof documentKinds)[Kind]['schema']> }
}[DocumentKind]

const withDocument = <Fields extends Record<string, z.ZodType>>(fields: Fields) =>
  z.discriminatedUnion(
    'kind',
    documentKindNames.map((each) =>
      z.strictObject({ kind: z.literal(each), ...fields, document: documentKinds[each].schema as z.ZodType }),
    ) as never,
  ) as unknown as z.ZodType<
    WithDocument<z.output<z.ZodObject<Fields>>>,
    WithDocumentInput<z.input<z.ZodObject<Fields>>>
  >

type OpenedDocument = PerKind<{ [Kind in DocumentKind]: Opened<Kind> }>

export const documentCalls = {
  /** Lists documents, most recently changed first. */
  'documents.list': call(z.strictObject({ kind }))<PerKind<{ [Kind in DocumentKind]: Listed<Kind>[] }>>(),
  'documents.read': call(z.strictObject({ kind, id }))<OpenedDocument>(),
  /** Creates a document; a name that is taken gets a number, such as `Basis 2`. */
  'documents.create': call(withDocument({ name }))<OpenedDocument>(),
  /**
   * Saves a document; refused (`conflict`) if another window saved since `revision`. Without a revision it always
   * overwrites.
   */
  'documents.save': call(withDocument({ id, revision: z.int().optional() }))<{ revision: number }>(),
  'documents.rename': call(z.strictObject({ kind, id, name }))<OpenedDocument>(),
  'documents.remove': call(z.strictObject({ kind, id }))<null>(),
  /** Exports a document as a file; null if the user cancelled. */
  'documents.export': call(withDocument({ name }))<{ name: string; path: string | null } | null>(),
  /** Imports a received file as a new document; the file then counts as imported. */
  'documents.import': call(z.strictObject({ kind, file: id }))<OpenedDocument>(),
}
