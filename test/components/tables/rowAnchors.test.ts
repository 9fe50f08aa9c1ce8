import { expect, it } from 'vitest'
import { rowOfId } from '../../../renderer/tables/rowAnchors.ts'
import { frameRows } from '../../../renderer/tables/frameRows.ts'
import { UNARRANGED } from '#shared/tables/arrangement.ts'

/** Creates rows that are named by a list beside the frame, as findings and trials are. */
async function rowsOf(names: readonly { name: string }[]) {
  const frame = {
    rows: names.length,
    columns: [{ name: 'at', kind: 'number' as const, values: Float64Array.from(names.keys()), valid: null }],
  }
  const source = frameRows(frame, { idOf: (row) => names[row].name })
  return source.arrange(UNARRANGED, new AbortController().signal)
}

it('finds a row near its place after rows before it are gone, or all are', async () => {
  const rows = await rowsOf([{ name: 'b' }, { name: 'd' }])
  expect(rowOfId(rows, 'd', 3)).toBe(1)
  expect(rowOfId(rows, 'a', 3)).toBeNull()
  expect(rowOfId(await rowsOf([]), 'a', 0)).toBeNull()
})

it('names no row beyond the last', async () => {
  expect((await rowsOf([{ name: 'a' }])).idOf(1)).toBeUndefined()
})
