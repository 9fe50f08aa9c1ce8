import { Readable } from 'node:stream'
import { type DocumentOf, specOf } from '#shared/contract/documents/documentKinds.ts'
import type { DocumentKind } from '#shared/contract/documents/kindNames.ts'
import type { CallOutput } from '#shared/contract/calls.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { EventBus } from '#core/eventBus.ts'
import type { CallsOf, Handlers } from '#core/handler.ts'
import type { ReceivedFiles } from '#core/receivedFiles.ts'
import type { Documents, DocumentStore } from '#core/store/documentStore.ts'

export interface DocumentDeps {
  documents: Documents
  received: ReceivedFiles
  bus: EventBus
  /** Releases what else belongs to a document that was removed. */
  onRemoved: { [Kind in DocumentKind]?: (id: string) => Promise<void> }
}

/** Gives access to the documents of any kind; the schema of a call has checked that a document fits its kind. */
type AnyStore = Omit<DocumentStore<DocumentKind>, 'create'> & {
  create(name: string, document: DocumentOf<DocumentKind>): CallOutput<'documents.create'>
}

export function documentHandlers({
  documents,
  received,
  bus,
  onRemoved,
}: DocumentDeps): Handlers<CallsOf<'documents'>> {
  const storeOf = (kind: DocumentKind) => documents[kind] as unknown as AnyStore
  const reportChange = <Result>(kind: DocumentKind, result: Result): Result => {
    bus.emit('documents.changed', { kind })
    return result
  }
  return {
    'documents.list': ({ kind }) => documents[kind].list(),
    'documents.read': ({ kind, id }) => documents[kind].read(id),
    'documents.create': ({ kind, name, document }) => reportChange(kind, storeOf(kind).create(name, document)),
    'documents.save': ({ kind, id, document, revision }) =>
      reportChange(kind, { revision: storeOf(kind).save(id, document, revision) }),
    'documents.rename': ({ kind, id, name }) => reportChange(kind, documents[kind].rename(id, name)),
    'documents.remove': async ({ kind, id }) => {
      documents[kind].remove(id)
      reportChange(kind, null)
      await onRemoved[kind]?.(id)
      return null
    },
    'documents.export': ({ kind, name, document }, { host }) => {
      const { type, nameOf, write } = fileOf(kind)
      return host.save({ name: nameOf(name), type }, () => Readable.from([write(name, document)]))
    },
    'documents.import': async ({ kind, file }) => {
      const { mostBytes, read } = fileOf(kind)
      const { name: fileName, text } = await received.readText(file, mostBytes)
      // The file is forgotten, valid or not, so that the user can choose it again.
      received.remove([file])
      const found = read(text, fileName)
      if ('problem' in found) throw new AppError('bad-input', `${fileName}: ${found.problem}`)
      return reportChange(kind, storeOf(kind).create(found.name, found.document))
    },
  }
}

function fileOf(kind: DocumentKind) {
  const { noun, file } = specOf<DocumentKind>(kind)
  if (file === null) throw new AppError('unsupported', `A ${noun} has no file of its own.`)
  return file
}
