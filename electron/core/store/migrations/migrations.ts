import { instruments } from './0120-instruments.ts'
import { studies } from './0130-studies.ts'
import { privateStorage } from './0140-private-storage.ts'
import { labDocuments } from './0150-lab-documents.ts'
import { symbolLists } from './0160-symbol-lists.ts'
import { fileTimes } from './0170-file-times.ts'
import { sqlQueries } from './0180-sql-queries.ts'
import { quality } from './0190-quality.ts'
import type { Migration } from './migration.ts'
import { release010 } from './release-0.1.0.ts'

/** All migrations in the order they run: those of each release, then those of the coming one. */
export const migrations: readonly Migration[] = [
  ...release010,
  instruments,
  studies,
  privateStorage,
  labDocuments,
  symbolLists,
  fileTimes,
  sqlQueries,
  quality,
]
