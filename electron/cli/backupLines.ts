import type { BackupItems } from '#core/store/backup/backupFile.ts'
import { tableLines } from './print.ts'

/** Builds the lines that list what a backup holds. */
export const itemLines = (items: BackupItems): string[] =>
  tableLines([['KIND', 'COUNT'], ...Object.entries(items).map(([kind, count]) => [kind, String(count)])])
