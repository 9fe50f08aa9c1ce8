import { randomUUID } from 'node:crypto'
import type { ConnectionFields } from '#shared/contract/areas/connections.ts'
import { defaultSettings, type Settings } from '#shared/contract/areas/settings.ts'
import { AppError } from '#shared/contract/errors.ts'

/** Everything this machine remembers. */
export interface Store {
  settings: SettingsStore
  connections: ConnectionStore
  /** Things that happened while opening and that the person should know. */
  notices: string[]
  sqliteVersion: string
  close(): void
}

export interface SettingsStore {
  read(): Settings
  change(patch: Partial<Settings>): Settings
}

export interface StoredConnection extends ConnectionFields {
  id: string
  active: boolean
  builtIn: boolean
}

export interface ConnectionStore {
  list(): StoredConnection[]
  add(fields: ConnectionFields): StoredConnection
  edit(id: string, patch: Partial<ConnectionFields>): StoredConnection
  use(id: string): StoredConnection
  remove(id: string): void
}

export function openStore(dataDir: string): Store {
  void dataDir
  let settings = defaultSettings
  let connections: StoredConnection[] = []
  const find = (id: string) => {
    const found = connections.find((each) => each.id === id)
    if (!found) throw new AppError('not-found', `connection ${id}`)
    return found
  }
  return {
    settings: {
      read: () => settings,
      change: (patch) => (settings = { ...settings, ...patch }),
    },
    connections: {
      list: () => connections,
      add(fields) {
        const added = { ...fields, id: randomUUID(), active: connections.length === 0, builtIn: false }
        connections = [...connections, added]
        return added
      },
      edit: (id, patch) => Object.assign(find(id), patch),
      use(id) {
        find(id)
        for (const each of connections) each.active = each.id === id
        return find(id)
      },
      remove(id) {
        find(id)
        connections = connections.filter((each) => each.id !== id)
      },
    },
    notices: [],
    sqliteVersion: '',
    close() {},
  }
}
