import type { TableColumn } from '#shared/sheet/columns.ts'
import { expect, it, vi } from 'vitest'
import { shallowRef } from 'vue'
import { numberColumn, textColumn } from '#shared/contract/frame.ts'
import { frameRows } from '../../../renderer/tables/frameRows.ts'
import { EVERYTHING, NOTHING, selectOnly, type Selection } from '../../../renderer/tables/selection.ts'
import type { CopyResult } from '../../../renderer/tables/copyNotice.ts'
import { useCopy } from '../../../renderer/tables/useCopy.ts'
import { tablesText } from '../../../renderer/text/tables.ts'

const columns: TableColumn[] = [
  { key: 'name', title: 'Name', kind: 'text' },
  { key: 'size', title: 'Size', kind: 'count' },
]
const names = ['coin 1', 'dragon 2', 'coin 3']
const frame = { rows: 3, columns: [textColumn('name', names), numberColumn('size', [1, 2, 3])] }

/** Copies the rows that contain the text. @returns the text on the clipboard, and the message of the table */
async function copyOf(
  text: string,
  selection: Selection,
): Promise<{ clipboard: string | undefined; copied: (CopyResult | null)[] }> {
  const rows = await frameRows(frame, { idKey: 'name' }).arrange(
    { text, conditions: [], sort: [] },
    new AbortController().signal,
  )
  const writeText = vi.fn<(text: string) => Promise<void>>(async () => {})
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const copied: (CopyResult | null)[] = []
  await useCopy({
    shown: shallowRef(rows),
    selection: shallowRef(selection),
    columns: shallowRef(columns),
    current: shallowRef({ row: 0, column: 0 }),
    zone: () => 'utc',
    onCopied: (of) => copied.push(of),
  }).copy()
  vi.unstubAllGlobals()
  return { clipboard: writeText.mock.calls.at(0)?.[0], copied }
}

it.each<[string, Selection, string | undefined, CopyResult, string]>([
  [
    '',
    EVERYTHING,
    'Name\tSize\ncoin 1\t1\ndragon 2\t2\ncoin 3\t3',
    { rows: 3, selected: 3 },
    'Copied 3 rows with headers',
  ],
  ['coin', EVERYTHING, 'Name\tSize\ncoin 1\t1\ncoin 3\t3', { rows: 2, selected: 2 }, 'Copied 2 rows with headers'],
  [
    'dragon',
    selectOnly(names),
    'Name\tSize\ndragon 2\t2',
    { rows: 1, selected: 3 },
    'Copied 1 of 3 selected rows with headers',
  ],
  [
    'dragon',
    selectOnly(['coin 1']),
    undefined,
    { rows: 0, selected: 1 },
    'Nothing copied, because the filter hides the selected rows',
  ],
  ['', NOTHING, 'coin 1', { rows: null, selected: 0 }, 'Copied the cell'],
])(
  'copies what the filter “%s” leaves of the selection, and counts only that',
  async (text, selection, clipboard, counts, message) => {
    expect(await copyOf(text, selection)).toEqual({ clipboard, copied: [counts] })
    expect(tablesText.copied(counts.rows, counts.selected)).toBe(message)
  },
)
