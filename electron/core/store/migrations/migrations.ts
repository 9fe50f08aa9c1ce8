import { settingsAndConnections } from './0010-settings-and-connections.ts'
import { leases } from './0020-leases.ts'
import type { Migration } from './migration.ts'

/** In the order they run. */
export const migrations: readonly Migration[] = [settingsAndConnections, leases]
