import { randomUUID } from 'node:crypto'
import type { ListedWorkspace, Workspace } from '#shared/contract/areas/workspaces.ts'
import { AppError } from '#shared/contract/errors.ts'
import { allSeries, readDocument, type WorkspaceDocument } from '#shared/workspace/workspace.ts'
import type { Clock } from '#core/ports.ts'
import type { Database } from './database.ts'

/** Charts as the person arranged them. */
export interface WorkspaceStore {
  /** The last changed first. */
  list(): ListedWorkspace[]
  read(id: string): Workspace
  /** A name that is taken gets a number. */
  create(name: string, document: WorkspaceDocument): Workspace
  /** @returns the new revision */
  save(id: string, document: WorkspaceDocument, revision?: number): number
  rename(id: string, name: string): Workspace
  remove(id: string): void
  /** A text that differs whenever any of them changed. */
  revision(): string
}

interface Row {
  id: string
  name: string
  document: string
  revision: number
}

export function createWorkspaceStore({ reads, writes }: Database, clock: Clock): WorkspaceStore {
  function rowOf(id: string): Row {
    // Read by the writer: inside a transaction it alone sees what was just written.
    const row = writes.first<Row>('SELECT id, name, document, revision FROM workspaces WHERE id = ?', id)
    if (!row) throw new AppError('not-found', 'The workspace is gone.')
    return row
  }

  const isTaken = (name: string, exceptId: string) =>
    writes.first('SELECT 1 FROM workspaces WHERE name = ? AND id <> ?', name, exceptId) !== undefined

  function freeName(name: string): string {
    if (!isTaken(name, '')) return name
    const stem = name.replace(/ \d+$/, '')
    for (let number = 2; ; number += 1) if (!isTaken(`${stem} ${number}`, '')) return `${stem} ${number}`
  }

  return {
    list: () =>
      reads
        .all<{ id: string; name: string; changed_at_ms: number; series: number }>(
          'SELECT id, name, changed_at_ms, series FROM workspaces ORDER BY changed_at_ms DESC, name',
        )
        .map(({ id, name, changed_at_ms, series }) => ({ id, name, changedAt: changed_at_ms, series })),
    read: (id) => workspaceOf(rowOf(id)),
    create: (name, document) =>
      writes.inTransaction(() => {
        const made = { id: randomUUID(), name: freeName(name), document, revision: 1 }
        writes.run(
          'INSERT INTO workspaces (id, name, document, series, revision, changed_at_ms) VALUES (?, ?, ?, ?, 1, ?)',
          made.id,
          made.name,
          JSON.stringify(document),
          allSeries(document).length,
          clock.nowMs(),
        )
        return made
      }),
    save: (id, document, revision) =>
      writes.inTransaction(() => {
        const before = rowOf(id)
        if (revision !== undefined && revision !== before.revision)
          throw new AppError('conflict', `“${before.name}” was changed in another window.`)
        writes.run(
          'UPDATE workspaces SET document = ?, series = ?, revision = ?, changed_at_ms = ? WHERE id = ?',
          JSON.stringify(document),
          allSeries(document).length,
          before.revision + 1,
          clock.nowMs(),
          id,
        )
        return before.revision + 1
      }),
    rename: (id, name) =>
      writes.inTransaction(() => {
        const before = rowOf(id)
        if (isTaken(name, id)) throw new AppError('conflict', `There is a workspace named “${name}” already.`)
        writes.run('UPDATE workspaces SET name = ?, changed_at_ms = ? WHERE id = ?', name, clock.nowMs(), id)
        return workspaceOf({ ...before, name })
      }),
    remove(id) {
      if (writes.run('DELETE FROM workspaces WHERE id = ?', id) === 0)
        throw new AppError('not-found', 'The workspace is gone.')
    },
    revision: () => JSON.stringify(reads.all('SELECT id, name, revision FROM workspaces ORDER BY id')),
  }
}

function workspaceOf({ id, name, document, revision }: Row): Workspace {
  const read = readDocument(JSON.parse(document))
  if ('problem' in read) throw new AppError('unsupported', `“${name}” cannot be opened. ${read.problem}`)
  return { id, name, document: read.document, revision }
}
