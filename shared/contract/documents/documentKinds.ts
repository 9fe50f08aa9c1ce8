import type * as z from '../../schemas/lazySchemas.ts'
import { boardKind } from './boardKind.ts'
import { checkKind } from './checkKind.ts'
import type { DocumentKindSpec, OpenedDocument } from './documentKind.ts'
import type { DocumentKind } from './kindNames.ts'
import { listKind } from './listKind.ts'
import { queryKind } from './queryKind.ts'
import { setKind } from './setKind.ts'
import { studyKind } from './studyKind.ts'
import { workspaceKind } from './workspaceKind.ts'

/** All kinds of documents. */
export const documentKinds = {
  workspace: workspaceKind,
  set: setKind,
  list: listKind,
  study: studyKind,
  query: queryKind,
  board: boardKind,
  check: checkKind,
} satisfies Record<DocumentKind, unknown>

type Kinds = typeof documentKinds

/** Document of a kind, as it is stored. */
export type DocumentOf<Kind extends DocumentKind> = z.output<Kinds[Kind]['schema']>

type FactsOf<Kind extends DocumentKind> = ReturnType<Kinds[Kind]['facts']> & Kinds[Kind]['state']

/** A document in a list. */
export type Listed<Kind extends DocumentKind> = {
  id: string
  name: string
  /** Milliseconds since the epoch. */
  changedAt: number
} & FactsOf<Kind>

export type Opened<Kind extends DocumentKind> = OpenedDocument<DocumentOf<Kind>>

/** Returns what a kind says about itself, typed for all kinds alike. */
export const specOf = <Kind extends DocumentKind>(kind: Kind) =>
  documentKinds[kind] as unknown as DocumentKindSpec<DocumentOf<Kind>, object, object>
