import { plainPlural } from '#shared/units/plurals.ts'
import { isRecord } from '#shared/schemas/isRecord.ts'
import { visitHashes } from './ledgerLog.ts'
import type { LedgerTables } from './ledgerTables.ts'

/** Entries that could not be recovered; the number is null if it is unknown. */
export interface LostEntries {
  entries: number | null
  time: number
}

export const areLost = (value: unknown): value is LostEntries | null =>
  isRecord(value) && typeof value.time === 'number' && (value.entries === null || typeof value.entries === 'number')

/**
 * Counts the entries of a damaged database that a new one lacks. It searches the damaged file's bytes for hashes of
 * entries, because the database may not open.
 */
export function countLost(damagedPath: string, tables: LedgerTables): number {
  const lost = new Set<string>()
  for (const suffix of ['', '-wal']) {
    visitHashes(damagedPath + suffix, (hash) => {
      if (!tables.byHash(hash)) lost.add(hash)
    })
  }
  return lost.size
}

export function describeLoss(lostCount: number | null, newestSequence: number | null): string {
  if (lostCount === null) return 'Its entries are lost, because there is no copy.'
  const atLeast = newestSequence === null ? 'At least ' : ''
  if (lostCount > 0) return `${atLeast}${plainPlural(lostCount, 'entry is', 'entries are')} lost.`
  return newestSequence === null
    ? 'No entry is missing up to the last line of this file; whether the damaged database had later ones is unknown.'
    : 'No entry is lost.'
}
