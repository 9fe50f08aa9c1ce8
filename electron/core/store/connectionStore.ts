import { connectionOf, type ConnectionRow, type StoredConnection } from './connectionRow.ts'
import { randomUUID } from 'node:crypto'
import type { Venue } from '#shared/catalog/venues.ts'
import type { ConnectionFields } from '#shared/contract/areas/connections.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { Database } from './database.ts'

export interface ConnectionStore {
  /** Lists all connections: the built-in one first, the others by name. Exactly one of them is active. */
  list(): StoredConnection[]
  find(id: string): StoredConnection
  active(): StoredConnection
  add(fields: ConnectionFields): StoredConnection
  edit(id: string, patch: Partial<ConnectionFields>): StoredConnection
  use(id: string): StoredConnection
  /** Sets the venues of the built-in connection, which the user cannot edit. */
  setBuiltInVenues(venues: readonly Venue[]): void
  /** Removes a connection and its download sets; if it was active, the built-in one becomes active. */
  remove(id: string): void
  /** Records that a key of this connection was set or removed, so that other processes notice. */
  noteKeyChange(id: string): void
  /** Tells whether a key of this connection was ever set or removed. */
  hasKeyChanges(id: string): boolean
  /** Returns a text that changes whenever a connection or one of its keys changes. */
  revision(): string
}

const COLUMNS = `id, name, metrics_url, portfolio_url, catalog_location, tier, active, built_in, private_storage,
  store, store_endpoint, store_plain_http, venues, preview`

export function createConnectionStore({ reads, writes }: Database): ConnectionStore {
  function find(id: string): StoredConnection {
    // Reads through the writer, because only that sees the uncommitted rows of its transaction.
    const row = writes.first<ConnectionRow>(`SELECT ${COLUMNS} FROM connections WHERE id = ?`, id)
    if (!row) throw new AppError('not-found', `There is no connection ${id.slice(0, 60)}.`)
    return connectionOf(row)
  }

  function findEditable(id: string): StoredConnection {
    const found = find(id)
    if (found.builtIn)
      throw new AppError('unsupported', `“${found.name}” comes with Perpscope and cannot be changed or removed.`)
    return found
  }

  function refuseTakenName(name: string, exceptId: string): void {
    const otherConnection = writes.first<{ name: string }>(
      'SELECT name FROM connections WHERE name = ? AND id <> ?',
      name,
      exceptId,
    )
    if (otherConnection)
      throw new AppError(
        'conflict',
        `A connection named “${otherConnection.name}” already exists. Choose another name.`,
      )
  }

  function save(connection: StoredConnection): StoredConnection {
    refuseTakenName(connection.name, connection.id)
    writes.run(
      `INSERT INTO connections (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET name = excluded.name, metrics_url = excluded.metrics_url,
         portfolio_url = excluded.portfolio_url, catalog_location = excluded.catalog_location, tier = excluded.tier,
         private_storage = excluded.private_storage, store = excluded.store,
         store_endpoint = excluded.store_endpoint, store_plain_http = excluded.store_plain_http,
         venues = excluded.venues, preview = excluded.preview`,
      connection.id,
      connection.name,
      connection.metricsUrl,
      connection.portfolioUrl,
      connection.catalogLocation,
      connection.tier,
      connection.active ? 1 : 0,
      connection.privateStorage ? 1 : 0,
      connection.store ?? '',
      connection.storeEndpoint ?? '',
      connection.storePlainHttp ? 1 : 0,
      JSON.stringify(connection.venues ?? []),
      connection.preview ? 1 : 0,
    )
    return find(connection.id)
  }

  function activate(id: string): void {
    writes.run('UPDATE connections SET active = 0 WHERE active = 1')
    writes.run('UPDATE connections SET active = 1 WHERE id = ?', id)
  }

  return {
    list: () =>
      reads.all<ConnectionRow>(`SELECT ${COLUMNS} FROM connections ORDER BY built_in DESC, name, id`).map(connectionOf),
    find,
    active() {
      const row = reads.first<ConnectionRow>(`SELECT ${COLUMNS} FROM connections WHERE active = 1`)
      if (!row) throw new AppError('not-found', 'No connection is active.')
      return connectionOf(row)
    },
    add: (fields) => writes.inTransaction(() => save({ ...fields, id: randomUUID(), active: false, builtIn: false })),
    edit: (id, patch) => writes.inTransaction(() => save({ ...findEditable(id), ...definedOf(patch) })),
    setBuiltInVenues: (venues) =>
      void writes.run('UPDATE connections SET venues = ? WHERE built_in = 1', JSON.stringify(venues)),
    use: (id) =>
      writes.inTransaction(() => {
        find(id)
        activate(id)
        return find(id)
      }),
    remove: (id) =>
      writes.inTransaction(() => {
        const { active } = findEditable(id)
        writes.run('DELETE FROM connections WHERE id = ?', id)
        writes.run("DELETE FROM user_documents WHERE kind = 'set' AND facts ->> '$.connectionId' = ?", id)
        if (active) writes.run('UPDATE connections SET active = 1 WHERE built_in = 1')
      }),
    revision: () => JSON.stringify(reads.all(`SELECT ${COLUMNS}, key_changes FROM connections ORDER BY id`)),
    hasKeyChanges: (id) => reads.first('SELECT 1 FROM connections WHERE id = ? AND key_changes > 0', id) !== undefined,
    noteKeyChange: (id) => void writes.run('UPDATE connections SET key_changes = key_changes + 1 WHERE id = ?', id),
  }
}

/** Drops the fields that are undefined, because these mean “unchanged”. */
function definedOf<Fields extends object>(patch: Fields): Partial<Fields> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<Fields>
}
