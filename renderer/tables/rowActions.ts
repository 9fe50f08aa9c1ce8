import { tablesText } from '../text/tables.ts'
import type { RowId } from './rows.ts'

/** Command in the menu of a row. */
export interface RowAction {
  id: string
  title: string
  /** Key with the same effect. */
  hint?: string
  /** True if a separator precedes the command. */
  hasSeparator?: boolean
  run: () => void
}

/** Row whose menu is open, with its position in the window. */
export interface RowMenuPlace {
  row: number
  id: RowId | undefined
  x: number
  y: number
}

interface UsualActions {
  /** Title of the command that opens the row; null if rows cannot be opened. */
  openTitle: string | null
  open: () => void
  /** Additional commands of the screen. */
  own: readonly RowAction[]
  /** Number of selected rows, which are copied together. */
  selected: number
  copy: () => void
  copyCell: () => void
}

const { menu: text } = tablesText

/** Lists the commands of a row: open, those of its screen, and copy, which every table has. */
export function rowMenuActions({ openTitle, open, own, selected, copy, copyCell }: UsualActions): RowAction[] {
  const opening = openTitle === null ? [] : [{ id: 'open', title: openTitle, hint: 'Enter', run: open }]
  return [
    ...opening,
    ...own,
    {
      id: 'copy',
      title: text.copyRows(selected),
      hint: text.copyKey,
      hasSeparator: opening.length + own.length > 0,
      run: copy,
    },
    { id: 'copyCell', title: text.copyCell, run: copyCell },
  ]
}
