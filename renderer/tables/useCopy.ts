import { type Cell, isShownInBps, type TableColumn, unitOf } from '#shared/sheet/columns.ts'
import { tsvText } from '#shared/units/csvCell.ts'
import type { Ref } from 'vue'
import type { CopyResult } from './copyNotice.ts'
import { copyText } from '../components/copyText.ts'
import { exactTime, type Zone } from '#shared/units/instants.ts'
import { isShownAsPercent } from '#shared/units/numberKinds.ts'
import { exactNumber } from '#shared/units/numbers.ts'
import { HEADER, type CellPosition } from './useKeys.ts'
import type { ArrangedRows } from './rows.ts'
import { isSelected, selectedCount, type Selection } from './selection.ts'

/** Maximum number of rows to copy; more would freeze the clipboard and the program into which they are pasted. */
const MOST_COPIED_ROWS = 100_000

/** Number of rows that are loaded and copied at a time. */
const ROWS_PER_LOAD = 2000

interface CopyDeps {
  shown: Ref<ArrangedRows>
  selection: Ref<Selection>
  columns: Ref<readonly TableColumn[]>
  current: Ref<CellPosition | null>
  zone: () => Zone
  onCopied: (copied: CopyResult | null) => void
}

/** Copies the selected rows with headers; without a selection, or with `copyCell`, the value of the current cell. */
export function useCopy({ shown, selection, columns, current, zone, onCopied }: CopyDeps) {
  let copyController = new AbortController()

  const copy = (event?: ClipboardEvent) => copyAs(selectedCount(selection.value, shown.value.count), event)

  async function copyAs(selected: number, event?: ClipboardEvent): Promise<void> {
    copyController.abort()
    const { signal } = (copyController = new AbortController())
    const copiedRows = shown.value
    const walk = selected > 0 ? selectedText(copiedRows, selection.value, columns.value, zone()) : cellText()
    let step = walk.next()
    if (step.done && step.value === null) return
    event?.preventDefault()
    const wasLoaded = step.done
    while (!step.done) {
      await copiedRows.load(step.value.from, step.value.to, signal)
      step = walk.next()
    }
    if (step.value === null) return
    const { text, rows } = step.value
    if (rows === 0) onCopied({ rows, selected })
    else {
      const copied = { rows, selected: rows === null ? 0 : selected }
      // The event's clipboard is writable only during the event, so rows that had to be loaded are copied without it.
      if (wasLoaded && event?.clipboardData) event.clipboardData.setData('text/plain', text)
      else if (!(await copyText(text))) return onCopied(null)
      onCopied(copied)
    }
  }

  function* cellText(): RowWalk {
    if (!current.value || current.value.row === HEADER) return null
    const column = columns.value[current.value.column]
    const text = tsvCell(shown.value.cell(current.value.row, column.key), column, zone())
    return text === '' ? null : { text, rows: null }
  }

  return { copy, copyCell: () => copyAs(0) }
}

/** Generator that yields each range of rows that has to be loaded first, and returns the text to copy, or null. */
type RowWalk = Generator<{ from: number; to: number }, { text: string; rows: number | null } | null>

function* selectedText(rows: ArrangedRows, selection: Selection, columns: readonly TableColumn[], zone: Zone): RowWalk {
  const pieces: string[] = []
  let copiedCount = 0
  for (let from = 0; from < rows.count && copiedCount < MOST_COPIED_ROWS; from += ROWS_PER_LOAD) {
    const to = Math.min(from + ROWS_PER_LOAD, rows.count)
    if (!areLoaded(rows, from, to, columns[0]?.key)) yield { from, to }
    const selectedRows: number[] = []
    for (let row = from; row < to && copiedCount + selectedRows.length < MOST_COPIED_ROWS; row += 1) {
      if (isSelected(selection, rows.idOf(row))) selectedRows.push(row)
    }
    copiedCount += selectedRows.length
    if (selectedRows.length > 0) pieces.push(tsvOf(selectedRows, columns, rows.cell, zone, pieces.length === 0))
  }
  return { text: pieces.join('\n'), rows: copiedCount }
}

function areLoaded(rows: ArrangedRows, from: number, to: number, key: string | undefined): boolean {
  for (let row = from; key !== undefined && row < to; row += 1) if (rows.cell(row, key) === undefined) return false
  return true
}

/** Formats a value for other programs: numbers with all digits, times with their offset, missing values empty. */
export function tsvCell(value: Cell | undefined, column: TableColumn, zone: Zone): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return column.kind === 'time' ? exactTime(value, zone) : exactNumber(value)
  return tsvText(value)
}

export function tsvHeader(columns: readonly TableColumn[], zone: Zone): string {
  const titles = columns.map((column) => {
    // The header omits these units, because copied shares and rates are fractions and copied times have their offset.
    const isOther = isShownAsPercent(column.kind) || isShownInBps(column) || column.kind === 'time'
    const unit = isOther ? '' : unitOf(column, zone)
    return tsvText(unit ? `${column.title} (${unit})` : column.title)
  })
  return titles.join('\t')
}

/** Writes rows as tab-separated lines. */
export function tsvOf(
  rows: Iterable<number>,
  columns: readonly TableColumn[],
  cell: (row: number, key: string) => Cell | undefined,
  zone: Zone,
  withHeader = true,
): string {
  const lines = withHeader ? [tsvHeader(columns, zone)] : []
  for (const row of rows) {
    lines.push(columns.map((column) => tsvCell(cell(row, column.key), column, zone)).join('\t'))
  }
  return lines.join('\n')
}
