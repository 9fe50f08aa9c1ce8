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

interface StandardActions {
  /**
   * Title of the command that opens the row; null if rows cannot be opened or the screen has its own command for it.
   */
  openTitle?: string | null
  open?: () => void
  /** Additional commands of the screen. */
  own: readonly RowAction[]
  /** Number of selected rows, which are copied together. */
  selected?: number
  copy: () => void
  /** Copies a single cell; omitted if the menu belongs to no cell. */
  copyCell?: () => void
}

const { menu: text } = tablesText

const OPEN = 'open'

/**
 * Finds the screen's command that Enter also runs on a row: to open it or else to chart it; undefined if neither
 * exists.
 */
export const enterAction = (own: readonly RowAction[]): RowAction | undefined =>
  own.find(({ id }) => id === OPEN) ?? own.find(({ id }) => id === 'chart')

/** Tells whether a key opens the menu of a row. */
export const isMenuKey = ({ key, shiftKey }: KeyboardEvent): boolean =>
  key === 'ContextMenu' || (shiftKey && key === 'F10')

/** Lists the commands of a row: open, the commands of the screen, and copy, which every table has. */
export function rowMenuActions({
  openTitle = null,
  open,
  own,
  selected = 1,
  ...copying
}: StandardActions): RowAction[] {
  const opening = openTitle === null || !open ? [] : [{ id: OPEN, title: openTitle, hint: 'Enter', run: open }]
  const { copy, copyCell } = copying
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
    ...(copyCell ? [{ id: 'copyCell', title: text.copyCell, run: copyCell }] : []),
  ]
}
