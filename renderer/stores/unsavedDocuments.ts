import type { DocumentKind } from '#shared/contract/documents/kindNames.ts'
import { toAppError } from '#shared/contract/errors.ts'
import type { CallName } from '#shared/contract/names.ts'
import { sameContent } from '../charts/paneView.ts'
import { storesText } from '../text/stores.ts'
import type { useHost } from './host.ts'
import type { useToasts } from './toasts.ts'

/** A document whose changes could not be saved. */
interface UnsavedDocument {
  kind: DocumentKind
  id: string
  name: string
  document: unknown
  /** Revision from which the changes started. */
  revision: number
  /** The first version whose save got no answer since that revision: the core may have stored it. */
  sent?: unknown
}

const PREFIX = 'perpscope.unsaved.'
/** Beginning of the keys of documents that no version could read so far; nobody is told of them again. */
const UNREADABLE_PREFIX = 'perpscope.unreadable.'
const keyOf = ({ kind, id }: Pick<UnsavedDocument, 'kind' | 'id'>): string => `${PREFIX}${kind}.${id}`
const keys = () => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))

export const hasUnsavedDocuments = (): boolean => keys().length > 0

/** Keeps a document in the browser's storage, where it outlives the window and a restart of the host. */
export function keepUnsaved(unsaved: UnsavedDocument): void {
  try {
    localStorage.setItem(keyOf(unsaved), JSON.stringify(unsaved))
  } catch {
    // If the storage is full, the changes stay in the window only.
  }
}

export const forgetUnsaved = (saved: Pick<UnsavedDocument, 'kind' | 'id'>): void =>
  localStorage.removeItem(keyOf(saved))

/**
 * Saves a document. If another version is stored, but it is the one that this window sent and got no answer to, it is
 * replaced: a window never conflicts with itself.
 */
export async function saveOver<Document>(
  calls: {
    save(saved: { id: string; document: Document; revision: number }): Promise<{ revision: number }>
    read(id: string): Promise<{ document: unknown; revision: number }>
  },
  { sent, ...saved }: { id: string; document: Document; revision: number; sent?: unknown },
): Promise<{ revision: number }> {
  try {
    return await calls.save(saved)
  } catch (thrown) {
    if (sent === undefined || toAppError(thrown).code !== 'conflict') throw thrown
    const stored = await calls.read(saved.id)
    if (!sameContent(stored.document, sent)) throw thrown
    return calls.save({ ...saved, revision: stored.revision })
  }
}

/**
 * Saves the changes that earlier windows could not save. If a document has been changed or removed since, its changes
 * are saved as a copy.
 */
export async function saveUnsavedDocuments(
  host: Pick<ReturnType<typeof useHost>, 'call'>,
  toasts: ReturnType<typeof useToasts>,
): Promise<void> {
  const call = host.call as (name: CallName, input: object) => Promise<never>
  for (const key of keys()) {
    const unsaved = readUnsaved(key)
    if (!unsaved) {
      localStorage.removeItem(key)
      continue
    }
    const { kind, name, document } = unsaved
    const calls = {
      save: (saved: object) => call('documents.save', { kind, ...saved }),
      read: (id: string) => call('documents.read', { kind, id }),
    }
    try {
      const { id, revision, sent } = unsaved
      const detail = await saveOver(calls, { id, document, revision, sent }).then(() => null, detailOfReplacement)
      const saved: { name: string } =
        detail === null ? { name } : await call('documents.create', { kind, name, document })
      localStorage.removeItem(key)
      toasts.show({ kind: 'note', message: storesText.documents.savedLater(name, saved.name), detail })
    } catch (thrown) {
      if (isRefused(thrown)) putAside(key)
      toasts.problem(thrown)
    }
  }
}

/** Tells whether the core cannot read a document; after any other error, such as a full disk, it is tried again. */
const isRefused = (thrown: unknown): boolean =>
  ['bad-input', 'unsupported', 'corrupt-file'].includes(toAppError(thrown).code)

/** Keeps a document that cannot be read, but does not try to save it at each start. */
function putAside(key: string): void {
  try {
    localStorage.setItem(UNREADABLE_PREFIX + key.slice(PREFIX.length), localStorage.getItem(key) ?? '')
    localStorage.removeItem(key)
  } catch {
    // If the storage is full, the document stays where it is.
  }
}

/** Kinds of documents by the names that earlier versions stored. */
const kindByArea: Readonly<Record<string, DocumentKind>> = {
  boards: 'board',
  lab: 'study',
  sql: 'query',
  workspaces: 'workspace',
}

/** Reads a document from the browser's storage; null if the browser wrote it only in part. */
function readUnsaved(key: string): UnsavedDocument | null {
  try {
    const unsaved = JSON.parse(localStorage.getItem(key) ?? '') as UnsavedDocument & { area?: string }
    return { ...unsaved, kind: kindByArea[unsaved.area ?? ''] ?? unsaved.kind }
  } catch {
    return null
  }
}

/** Returns why a document cannot be saved under its id; throws any other error. */
function detailOfReplacement(thrown: unknown): string {
  const { code, detail, sentence } = toAppError(thrown)
  if (code === 'conflict' || code === 'not-found') return detail ?? sentence
  throw thrown
}
