import type { BackupItems } from '#core/store/backup/backupFile.ts'
import { tableLines } from './print.ts'

const kindLabel = (kind: string) => kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Builds the lines that list the content of a backup; kinds with no items are left out. */
export const itemLines = (items: BackupItems): string[] =>
  tableLines([
    ['KIND', 'COUNT'],
    ...Object.entries(items).flatMap(([kind, count]) => (count > 0 ? [[kindLabel(kind), String(count)]] : [])),
  ])
