import type { SavedBackup } from '#shared/contract/areas/app.ts'
import { column } from '#shared/sheet/sheet.ts'
import { recordLines } from './sheetLines.ts'

const kindLabel = (kind: string) => kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** Builds the lines that list the content of a backup; kinds with no items are left out. */
export const itemLines = (items: SavedBackup['items']): string[] =>
  recordLines<[string, number]>(
    [
      column('kind', 'Kind', 'text', ([kind]) => kindLabel(kind)),
      column('count', 'Count', 'count', ([, count]) => count),
    ],
    Object.entries(items).filter(([, count]) => count > 0),
  )
