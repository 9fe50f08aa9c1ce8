import type { DocumentStore } from '#core/store/documentTable.ts'

/** Names of the calls on stored documents, without the area in front. */
type DocumentCall = 'list' | 'read' | 'create' | 'save' | 'rename' | 'remove'

/**
 * Creates the handlers of the calls that all kinds of documents have.
 * @param notifyChanged tells the windows that documents have changed
 */
export function storedDocuments<Area extends string, Listed, Document, Opened>(
  area: Area,
  store: DocumentStore<Listed, Document, Opened>,
  notifyChanged: () => void,
) {
  const reportChange = <Result>(result: Result): Result => {
    notifyChanged()
    return result
  }
  const calls = {
    list: () => store.list(),
    read: ({ id }: { id: string }) => store.read(id),
    create: ({ name, document }: { name: string; document: Document }) => reportChange(store.create(name, document)),
    save: ({ id, document, revision }: { id: string; document: Document; revision?: number | undefined }) =>
      reportChange({ revision: store.save(id, document, revision) }),
    rename: ({ id, name }: { id: string; name: string }) => reportChange(store.rename(id, name)),
    remove({ id }: { id: string }): null {
      store.remove(id)
      return reportChange(null)
    },
  } satisfies Record<DocumentCall, unknown>
  type Calls = typeof calls
  const handlers = Object.fromEntries(Object.entries(calls).map(([name, call]) => [`${area}.${name}`, call])) as {
    [Name in DocumentCall as `${Area}.${Name}`]: Calls[Name]
  }
  return { reportChange, calls, handlers }
}
