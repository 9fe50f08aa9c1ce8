import { formatNumber } from '#shared/units/numbers.ts'
import { agree, plural } from '#shared/units/plurals.ts'

const formatCount = (rows: number) => formatNumber(rows, 0)

export const tablesText = {
  filter: 'Filter',
  /** The number of rows above a table: `12 of 340 rows`. */
  rows: (shown: number, total: number) =>
    shown === total
      ? plural(total, 'row')
      : `${formatCount(shown)} of ${formatCount(total)} ${agree(total, 'row', 'rows')}`,
  selected: (rows: number) => `${formatCount(rows)} selected`,
  /**
   * Tells what was copied; `rows` is null for a single cell, and smaller than `selected` if a filter hides rows or
   * there were too many to copy.
   */
  copied: (rows: number | null, selected: number) => {
    if (rows === null) return 'Copied the cell'
    if (rows === 0) return 'Nothing copied, because the filter hides the selected rows'
    return rows < selected
      ? `Copied ${formatCount(rows)} of ${plural(selected, 'selected row')} with headers`
      : `Copied ${plural(rows, 'row')} with headers`
  },
  clipboardDenied: 'Clipboard access was denied.',
  retry: 'Try again',
  empty: 'No rows',
  noMatch: 'No row matches the filter.',
  missing: 'missing',

  menu: {
    label: 'Row menu',
    open: 'Open',
    copyRows: (rows: number) => (rows > 1 ? `Copy ${plural(rows, 'row')}` : 'Copy row'),
    copyKey: 'Ctrl+C',
    copyCell: 'Copy cell',
    chart: 'Show in chart',
    download: 'Download …',
    remove: 'Remove from cache …',
    saveCsv: 'Save table as CSV',
  },

  /** Messages about a filter that cannot be understood. */
  filterLanguage: {
    ended: 'The filter ends where a condition is expected.',
    unclosed: 'A “)” is missing.',
    unexpected: (rest: string) => `Not understood: “${rest.slice(0, 40)}”`,
    unknownColumn: (name: string, titles: readonly string[]) =>
      `“${name.slice(0, 40)}” is not a column of this table. Columns: ${titles.slice(0, 12).join(', ')}${titles.length > 12 ? ' …' : ''}`,
    noSign: (title: string) => `After ${title}, write >, >=, <, <=, = or != and a value, or the word “missing”.`,
    noNumber: (title: string, sign: string) => `Enter a number after “${title} ${sign}”.`,
    noDate: (title: string, sign: string) =>
      `Enter a date after “${title} ${sign}”, for example 2026-08-01 or 2026-08-01 12:30.`,
    noOrder: (title: string, sign: string) => `${title} is text: compare it with = or !=, not with ${sign}.`,
    noTimeColumn: 'This table has no times to compare a date with.',
    noSuchDate: (typed: string) => `${typed} is not a valid date.`,
    notApplied: (problem: string) => `Showing all rows. ${problem}`,
  },

  columns: {
    title: 'Columns',
    shown: (shown: number, total: number) => `${formatCount(shown)} of ${formatCount(total)}`,
    find: 'Find a column',
    noMatch: 'No matching column',
    moveLeft: (title: string) => `Move ${title} left`,
    moveRight: (title: string) => `Move ${title} right`,
    showAll: 'Show all',
    showFound: 'Show these',
    reset: 'Reset',
  },
} as const

/** The keys of a focused table, as the sheet of shortcuts lists them. */
export const tableKeys: readonly (readonly [shortcuts: readonly string[], action: string])[] = [
  [['Enter'], 'Open the row; in the header: sort by the column'],
  [['Space', 'Shift+↓'], 'Select the row or extend the selection'],
  [['Mod+A', 'Esc'], 'Select all or none'],
  [['Mod+C'], 'Copy the selection'],
  [['Shift+F10'], 'Open the row menu'],
  [['Alt+←', 'Alt+→'], 'Narrow or widen the column'],
  [['Mod+Shift+←', 'Mod+Shift+→'], 'Move the column left or right'],
]
