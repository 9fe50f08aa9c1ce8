import type { Migration } from './migration.ts'

export const privateStorage: Migration = {
  version: 140,
  apply: (database) =>
    // The column is 1 where the person allows a public service to store its files at private addresses.
    database.exec('ALTER TABLE connections ADD COLUMN private_storage INTEGER NOT NULL DEFAULT 0'),
}
