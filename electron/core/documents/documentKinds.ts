import { boardDocument } from '#shared/contract/areas/boards.ts'
import { type DownloadSet, downloadSetFields } from '#shared/contract/areas/downloads.ts'
import { labDocument } from '#shared/contract/areas/lab.ts'
import { type QueryDocument, queryDocument } from '#shared/contract/areas/sql.ts'
import type { FolderKindName } from '#shared/contract/documents/kindNames.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { type DocumentOf, documentKinds } from '#shared/contract/documents/documentKinds.ts'
import { listKind } from '#shared/contract/documents/listKind.ts'
import { readQueryFile, writeQueryFile } from '#shared/sql/queryFile.ts'
import { readKept } from '#shared/workspace/workspaceFile.ts'
import { findFreeName } from '#core/store/documentStore.ts'
import type { Store } from '#core/store/store.ts'
import {
  nameInFile,
  parseWith,
  type Problem,
  readDocumentText,
  textProblem,
  writeDocumentText,
} from './documentText.ts'
import { recipeFolderKind } from './recipeKind.ts'

/** A stored document as the text of its file, or the reason why no file can be written for it. */
export type OwnDocument = { id: string; name: string } & ({ text: string } | Problem)

/** A document read from a file. */
export interface FoundDocument {
  /** Id of the document; null if the file has none yet and gets a new one. */
  id: string | null
  name: string
  /** Returns the text that the app would write for this document. */
  text(id: string): string
  /** Creates the document, or replaces the one with this id. */
  put(id: string): void
}

/** Access to the documents of one kind, for syncing with the documents folder. */
export interface FolderKind {
  kind: FolderKindName
  /** Subfolder of the documents folder for files of this kind. */
  folder: string
  /** Ending of the file names. */
  suffix: string
  mostBytes: number
  /** True if documents are identified by their name, so that files need no id. */
  isKeyedByName: boolean
  list(): OwnDocument[]
  read(text: string, fallbackName: string): FoundDocument | Problem
  /** Returns a text that changes when `read` would read the same file differently; left out if that never happens. */
  versionOfReading?(): string
  remove(id: string): void
  /** Frees the name of a document until the document is stored again. */
  park(id: string): void
  /** Copies a document under a free name, so that the other version can replace the original. */
  copy(id: string): void
}

/** Provides access to each kind of document that is kept in the folder. */
export function createFolderKinds(store: Store): FolderKind[] {
  return [
    jsonKind({
      ...{ kind: 'workspace', folder: 'workspaces', suffix: '.workspace.json', format: 'perpscope workspace' },
      mostBytes: documentKinds.workspace.file.mostBytes,
      store: keptWorkspaces(store),
      parse: readKept,
    }),
    setFolderKind(store),
    listFolderKind(store),
    queryFolderKind(store),
    jsonKind({
      ...{ kind: 'study', folder: 'studies', suffix: '.study.json', format: 'perpscope study' },
      mostBytes: documentKinds.study.file.mostBytes,
      store: store.documents.study,
      // The path of the panel is left out, because it is different on every machine.
      writtenPart: ({ study }) => study,
      parse: (value, open) => parseWith(labDocument, { version: 1, study: value, panel: open()?.panel ?? null }),
    }),
    jsonKind({
      ...{ kind: 'board', folder: 'boards', suffix: '.board.json', format: 'perpscope board' },
      mostBytes: documentKinds.board.file.mostBytes,
      store: store.documents.board,
      parse: (value) => parseWith(boardDocument, value),
    }),
    recipeFolderKind(store),
  ]
}

/** Gives access to the workspaces without quick looks, which get a file once the user keeps them. */
const keptWorkspaces = ({ documents: { workspace: workspaces } }: Store) => ({
  ...workspaces,
  list: () => workspaces.list().filter(({ quickLook }) => quickLook === null),
})

/** What the folder needs of a store of documents. */
interface AnyStore<Document> {
  list(): { id: string; name: string }[]
  read(id: string): { name: string; document: Document }
  create(name: string, document: Document): unknown
  rename(id: string, name: string): unknown
  put(id: string, name: string, document: Document): void
  remove(id: string): void
  revision(): string
}

interface JsonKindSpec<Document> extends Pick<FolderKind, 'kind' | 'folder' | 'suffix' | 'mostBytes'> {
  format: string
  store: AnyStore<Document>
  /** Returns the part of a document to write to its file; by default all of it. */
  writtenPart?(document: Document): unknown
  /** @param open reads the stored document with the same id */
  parse(value: unknown, open: () => Document | null): { document: Document } | Problem
}

/** Provides access to a kind whose files are JSON with an id. */
function jsonKind<Document>(spec: JsonKindSpec<Document>): FolderKind {
  const { format, store, writtenPart = (document: Document) => document, parse, ...kind } = spec
  const textOf = (id: string, name: string, document: Document) =>
    writeDocumentText(format, { id, name }, writtenPart(document))

  function openOrNull(id: string): Document | null {
    try {
      return store.read(id).document
    } catch {
      return null
    }
  }

  return {
    ...kind,
    isKeyedByName: false,
    list: createLister(store, textOf),
    read(text, fallbackName) {
      const found = readDocumentText(text, format, fallbackName)
      if ('problem' in found) return found
      const parsed = parse(found.document, () => null)
      if ('problem' in parsed) return { problem: `cannot be used: ${parsed.problem.replace(/\.$/, '')}.` }
      const { id, name } = found
      return {
        id,
        name,
        text: (ownId) => textOf(ownId, name, parsed.document),
        put(ownId) {
          const reparsed = parse(found.document, () => openOrNull(ownId))
          if ('document' in reparsed) store.put(ownId, name, reparsed.document)
        },
      }
    },
    remove: (id) => store.remove(id),
    park: (id) => void store.rename(id, id),
    copy(id) {
      const { name, document } = store.read(id)
      store.create(name, document)
    },
  }
}

/**
 * Creates a function that lists the documents of a kind. The texts are cached until a document changes, because a sync
 * runs every few seconds.
 */
function createLister<Document>(
  store: AnyStore<Document>,
  textOf: (id: string, name: string, document: Document) => string,
): () => OwnDocument[] {
  let last: { version: string; documents: OwnDocument[] } | null = null
  return () => {
    // A document that was removed and created again may have its old revision, but not its old time.
    const version = store.revision() + JSON.stringify(store.list())
    if (last?.version !== version) last = { version, documents: ownDocuments(store, textOf) }
    return last.documents
  }
}

/** Reads every document of a kind; one that cannot be opened is listed with the reason. */
function ownDocuments<Document>(
  store: AnyStore<Document>,
  textOf: (id: string, name: string, document: Document) => string,
): OwnDocument[] {
  return store.list().map(({ id, name }) => {
    try {
      const { document } = store.read(id)
      return { id, name, text: textOf(id, name, document) }
    } catch (thrown) {
      const { detail, message } = toAppError(thrown)
      return { id, name, problem: detail ?? message }
    }
  })
}

const ID_LINE = '-- perpscope id: '

/** Queries are files that `perpscope sql --file` accepts; a comment before the query contains the id. */
function queryFolderKind({ documents: { query: queries } }: Store): FolderKind {
  const textOf = (id: string, name: string, { sql, parameters }: QueryDocument) =>
    writeQueryFile({ name, sql: `${ID_LINE}${id}\n${sql.replaceAll(/\r+\n/g, '\n')}`, parameters })
  return {
    ...{ kind: 'query', folder: 'queries', suffix: '.sql', mostBytes: documentKinds.query.file.mostBytes },
    isKeyedByName: false,
    list: createLister<QueryDocument>(queries, textOf),
    read(text, fallbackName) {
      const problem = textProblem(text)
      if (problem) return problem
      const { name: nameInText, sql: body, parameters } = readQueryFile(text, fallbackName)
      const [, id = null, sql = body] = /^-- perpscope id: ([\w-]{1,100})[ \t]*(?:\n|$)([^]*)$/.exec(body) ?? []
      const name = nameInFile(nameInText, fallbackName)
      const parsed = parseWith(queryDocument, { version: 1, sql, parameters })
      if ('problem' in parsed) return { problem: `cannot be used: ${parsed.problem}.` }
      return {
        id,
        name,
        text: (ownId) => textOf(ownId, name, parsed.document),
        put: (ownId) => queries.put(ownId, name, parsed.document),
      }
    },
    remove: (id) => queries.remove(id),
    park: (id) => void queries.rename(id, id),
    copy(id) {
      const { name, document } = queries.read(id)
      queries.create(name, document)
    },
  }
}

/** Normalises line endings to LF, because Git would otherwise do so and the file would seem changed. */
const plainLines = (text: string) => text.replaceAll('\r\n', '\n')

/** Lists of symbols are CSV files that `perpscope lists import` accepts, identified by their name. */
function listFolderKind({ documents: { list: lists } }: Store): FolderKind {
  const { write, read } = listKind.file
  const textOf = (name: string, document: DocumentOf<'list'>) => plainLines(write(name, document))
  return {
    ...{ kind: 'list', folder: 'lists', suffix: '.csv', mostBytes: documentKinds.list.file.mostBytes },
    isKeyedByName: true,
    list: createLister(lists, (id, _name, document: DocumentOf<'list'>) => textOf(id, document)),
    read(text, fallbackName) {
      const problem = textProblem(text)
      if (problem) return problem
      const found = read(text, fallbackName)
      if ('problem' in found) return found
      const { name, document } = found
      return { id: name, name, text: () => textOf(name, document), put: () => lists.put(name, name, document) }
    },
    remove: (id) => lists.remove(id),
    park() {},
    copy(id) {
      const { name, document } = lists.read(id)
      lists.create(name, document)
    },
  }
}

/** Download sets name their connection, because connection ids differ from machine to machine. */
function setFolderKind({ sets, connections }: Store): FolderKind {
  const format = 'perpscope download set'
  const idOf = (connection: string, name: string) => `${connection}/${name.toLowerCase()}`
  const all = () =>
    connections
      .list()
      .flatMap(({ id, name: connection }) =>
        sets.list(id).map((set) => ({ id: idOf(connection, set.name), connection, set })),
      )
  const textOf = (connection: string, set: Partial<DownloadSet>) => {
    const { connectionId: _, name, savedAt: _saved, enqueuedAt: _enqueued, ...fields } = set
    return writeDocumentText(format, { name: name ?? '', connection }, fields)
  }

  function findSet(id: string) {
    const found = all().find((each) => each.id === id)
    if (!found) throw new Error(`no download set ${id}`)
    return found.set
  }

  return {
    ...{ kind: 'set', folder: 'sets', suffix: '.set.json', mostBytes: documentKinds.set.file.mostBytes },
    isKeyedByName: true,
    list: () => all().map(({ id, connection, set }) => ({ id, name: set.name, text: textOf(connection, set) })),
    versionOfReading: () => connections.revision(),
    read(text, fallbackName) {
      const parsed = readDocumentText(text, format, fallbackName)
      if ('problem' in parsed) return parsed
      const { connection } = parsed.more
      const owner = connections.list().find(({ name }) => name === connection)
      if (typeof connection !== 'string') return { problem: 'does not name its connection.' }
      if (!owner) return { problem: `belongs to the connection “${connection}”, which does not exist here.` }
      const fields = typeof parsed.document === 'object' ? parsed.document : {}
      const set = parseWith(downloadSetFields, { ...fields, name: parsed.name, connectionId: owner.id })
      if ('problem' in set) return { problem: `cannot be used: ${set.problem}.` }
      return {
        id: idOf(connection, set.document.name),
        name: set.document.name,
        text: () => textOf(connection, set.document),
        put: () => void sets.save(set.document),
      }
    },
    remove(id) {
      const { connectionId, name } = findSet(id)
      sets.remove(connectionId, name)
    },
    park() {},
    copy(id) {
      const { savedAt: _saved, enqueuedAt: _enqueued, ...set } = findSet(id)
      const takenNames = sets.list(set.connectionId).map(({ name }) => name.toLowerCase())
      sets.save({ ...set, name: findFreeName(set.name, (name) => takenNames.includes(name.toLowerCase())) })
    },
  }
}
