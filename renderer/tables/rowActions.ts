import { tablesText } from '../text/tables.ts'
import type { RowId } from './rows.ts'

/** Command of a row's menu. */
export interface RowAction {
  id: string
  title: string
  /** Key that does the same. */
  hint?: string
  /** True if a separator precedes the command. */
  apart?: boolean
  run: () => void
}

/** Row whose menu is open, with its place in the window. */
export interface RowMenuPlace {
  row: number
  id: RowId | undefined
  x: number
  y: number
}

interface UsualActions {
  /** Title of the command that opens the row; null where a row opens nothing. */
  openTitle: string | null
  open: () => void
  /** Commands of the screen. */
  own: readonly RowAction[]
  /** Number of selected rows, which are copied together. */
  selected: number
  copy: () => void
  copyCell: () => void
}

const { menu: text } = tablesText

/** Lists the commands of a row: to open it, those of its screen, and copying, which every table has. */
export function rowMenuActions({ openTitle, open, own, selected, copy, copyCell }: UsualActions): RowAction[] {
  const opening = openTitle === null ? [] : [{ id: 'open', title: openTitle, hint: 'Enter', run: open }]
  return [
    ...opening,
    ...own,
    {
      id: 'copy',
      title: text.copyRows(selected),
      hint: text.copyKey,
      apart: opening.length + own.length > 0,
      run: copy,
    },
    { id: 'copyCell', title: text.copyCell, run: copyCell },
  ]
}
