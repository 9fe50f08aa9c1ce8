import { expect, it } from 'vitest'
import { boardReportQuery, queryOfPart } from '#core/record/askPart.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'

const DAY = 86_400_000
const rows = { startMs: 10 * DAY, endMs: 30 * DAY }
const chart = (range: { startMs: number; endMs: number } | null) => ({
  kind: 'workbench' as const,
  name: 'Basis',
  document: { ...emptyDocument(), range },
})
const rangeOf = (range: { startMs: number; endMs: number } | null, found: typeof rows | null = rows) => {
  const query = queryOfPart(chart(range), () => found)
  return query.kind === 'workbench' && [query.startMs / DAY, query.endMs / DAY]
}

it('shows a range as long as the workspace did, up to the last row', () => {
  expect(rangeOf(null)).toEqual([10, 30])
  expect(rangeOf({ startMs: 0, endMs: 7 * DAY })).toEqual([23, 30])
  expect(rangeOf({ startMs: 0, endMs: 99 * DAY })).toEqual([10, 30])
})

it('says which part of a report has no rows, and what to do', () => {
  expect(() => rangeOf(null, null)).toThrow('No rows of “Basis” are here. Open the workspace and download')
  const note = { kind: 'text' as const, markdown: 'a' }
  const parts = [note, chart(null)].map((content, at) => ({ id: String(at), columns: 4, rows: 2, content }))
  const make = (found: typeof rows | null) => boardReportQuery('Morning', { version: 1, parts }, () => found)
  expect(() => make(null)).toThrow('Part 2 cannot be reported. No rows of “Basis” are here.')
  expect(make(rows)).toMatchObject({ kind: 'board', name: 'Morning', parts: [note, { startMs: 10 * DAY }] })
})
