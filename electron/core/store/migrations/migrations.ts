import type { Migration } from './migration.ts'
import { release010 } from './release-0.1.0.ts'
import { release020 } from './release-0.2.0.ts'
import { release030 } from './release-0.3.0.ts'

/** All migrations in the order in which they run. */
export const migrations: readonly Migration[] = [...release010, ...release020, ...release030]
