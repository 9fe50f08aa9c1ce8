import type { DocumentStore } from '#core/store/documentTable.ts'

/** Serves the calls that documents of every kind have. @param changed tells the windows */
export function storedDocuments<Listed, Document, Opened>(
  store: DocumentStore<Listed, Document, Opened>,
  changed: () => void,
) {
  const report = <Result>(result: Result): Result => {
    changed()
    return result
  }
  return {
    report,
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
  }
}
