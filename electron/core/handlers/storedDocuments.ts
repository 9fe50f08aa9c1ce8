import type { DocumentStore } from '#core/store/documentTable.ts'

/** Calls of stored documents, without the area that is before their names. */
type DocumentCall = 'list' | 'read' | 'create' | 'save' | 'rename' | 'remove'

/** Serves the calls that documents of every kind have. @param changed tells the windows */
export function storedDocuments<Area extends string, Listed, Document, Opened>(
  area: Area,
  store: DocumentStore<Listed, Document, Opened>,
  changed: () => void,
) {
  const report = <Result>(result: Result): Result => {
    changed()
    return result
  }
  const calls = {
    list: () => store.list(),
    read: ({ id }: { id: string }) => store.read(id),
    create: ({ name, document }: { name: string; document: Document }) => report(store.create(name, document)),
    save: ({ id, document, revision }: { id: string; document: Document; revision?: number | undefined }) =>
      report({ revision: store.save(id, document, revision) }),
    rename: ({ id, name }: { id: string; name: string }) => report(store.rename(id, name)),
    remove({ id }: { id: string }): null {
      store.remove(id)
      return report(null)
    },
  } satisfies Record<DocumentCall, unknown>
  type Calls = typeof calls
  const handlers = Object.fromEntries(Object.entries(calls).map(([name, call]) => [`${area}.${name}`, call])) as {
    [Name in DocumentCall as `${Area}.${Name}`]: Calls[Name]
  }
  return { report, calls, handlers }
}
