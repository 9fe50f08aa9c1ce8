import type { DownloadSet, DownloadSetFields } from '#shared/contract/areas/downloads.ts'
import type { Opened } from '#shared/contract/documents/documentKinds.ts'
import { setId } from '#shared/contract/documents/setKind.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { DocumentStore } from './documentStore.ts'

/** Download sets of each connection. Their names must differ by more than case. */
export interface SetStore {
  list(connectionId: string): DownloadSet[]
  find(connectionId: string, name: string): DownloadSet
  save(set: DownloadSetFields): DownloadSet
  remove(connectionId: string, name: string): void
  noteEnqueued(connectionId: string, name: string, nowMs: number): void
}

export function createSetStore(sets: DocumentStore<'set'>): SetStore {
  const listed = (connectionId: string) => sets.list().filter((each) => each.connectionId === connectionId)

  const setOf = (
    // Earlier versions stored names of several lines, which parsing would change; the set is found by its stored name.
    { name, document }: Opened<'set'>,
    { changedAt, enqueuedAt }: { changedAt: number; enqueuedAt: number | null },
  ): DownloadSet => ({ ...document, name, savedAt: changedAt, enqueuedAt })

  return {
    list: (connectionId) =>
      listed(connectionId)
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
        .map((each) => setOf(sets.read(each.id), each)),
    find,
    save(set) {
      sets.put(setId(set.connectionId, set.name), set.name, set)
      return find(set.connectionId, set.name)
    },
    remove(connectionId, name) {
      find(connectionId, name)
      sets.remove(setId(connectionId, name))
    },
    noteEnqueued: (connectionId, name, nowMs) => sets.note(setId(connectionId, name), { enqueuedAt: nowMs }),
  }

  function find(connectionId: string, name: string): DownloadSet {
    const id = setId(connectionId, name)
    const found = listed(connectionId).find((each) => each.id === id)
    if (!found) throw new AppError('not-found', `There is no download set “${name}”.`)
    return setOf(sets.read(id), found)
  }
}
