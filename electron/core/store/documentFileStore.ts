import type { FolderKindName } from '#shared/contract/documents/kindNames.ts'
import type { Database } from './database.ts'

/** File of a document, with the hashes of file and document after the last sync. */
export interface DocumentFile {
  kind: FolderKindName
  id: string
  /** Path relative to the documents folder, with forward slashes. */
  path: string
  /** Hash of the document in the app; empty to make the document count as changed. */
  mineHash: string
  /** Hash of the file in the folder; empty to make the file count as changed. */
  fileHash: string
}

/** The folder in which the user keeps documents as files, and the state after the last sync. */
export interface DocumentFileStore {
  folder(): string | null
  /** Switches to another folder, or none, and forgets the files of the old one. */
  setFolder(path: string | null): void
  list(): DocumentFile[]
  find(kind: FolderKindName, id: string): DocumentFile | null
  save(file: DocumentFile): void
  forget(kind: FolderKindName, id: string): void
  /** Makes several changes in one transaction. */
  inTransaction<Result>(work: () => Result): Result
}

const columns = 'kind, id, path, mine_hash AS mineHash, file_hash AS fileHash'

export function createDocumentFileStore({ writes }: Database): DocumentFileStore {
  return {
    folder: () => writes.first<{ path: string }>('SELECT path FROM documents_folder')?.path ?? null,
    setFolder: (path) =>
      writes.inTransaction(() => {
        writes.run('DELETE FROM documents_folder')
        writes.run('DELETE FROM document_files')
        if (path !== null) writes.run('INSERT INTO documents_folder (id, path) VALUES (1, ?)', path)
      }),
    list: () => writes.all<DocumentFile>(`SELECT ${columns} FROM document_files`),
    find: (kind, id) =>
      writes.first<DocumentFile>(`SELECT ${columns} FROM document_files WHERE kind = ? AND id = ?`, kind, id) ?? null,
    save: ({ kind, id, path, mineHash, fileHash }) =>
      void writes.run(
        `INSERT OR REPLACE INTO document_files (kind, id, path, mine_hash, file_hash) VALUES (?, ?, ?, ?, ?)`,
        kind,
        id,
        path,
        mineHash,
        fileHash,
      ),
    forget: (kind, id) => void writes.run('DELETE FROM document_files WHERE kind = ? AND id = ?', kind, id),
    inTransaction: (work) => writes.inTransaction(work),
  }
}
