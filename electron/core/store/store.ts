import { createConnectionStore, type ConnectionStore } from './connectionStore.ts'
import { openDatabase, type Database, type DatabaseParts } from './database.ts'
import { createSettingsStore, type SettingsStore } from './settingsStore.ts'

/** Everything this machine remembers. */
export interface Store {
  settings: SettingsStore
  connections: ConnectionStore
  database: Database
  /** Things that happened while opening or reading and that the person should know; each once. */
  notices: string[]
  sqliteVersion: string
  close(): void
}

export function openStore(parts: DatabaseParts): Store {
  const database = openDatabase(parts)
  const { notices } = database
  const notice = (words: string) => {
    if (notices.includes(words)) return
    notices.push(words)
    parts.log.write('warn', words)
  }
  return {
    settings: createSettingsStore(database, notice),
    connections: createConnectionStore(database),
    database,
    notices,
    sqliteVersion: database.sqliteVersion,
    close: () => database.close(),
  }
}
