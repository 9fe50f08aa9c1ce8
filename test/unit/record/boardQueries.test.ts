import { expect, it, vi } from 'vitest'
import { computeBoard, boardReportQuery, makeBoard, queryOfPart } from '#core/record/boardReport.ts'
import { createRecordService, type RecordDeps } from '#core/record/recordService.ts'
import { reportQuery } from '#shared/contract/areas/report.ts'
import { AppError } from '#shared/contract/errors.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'

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

it('makes a report of a board although a part has no rows, and says so in its place', async () => {
  const note = { kind: 'text' as const, markdown: 'a' }
  const sql = { kind: 'sql' as const, name: 'Worst days', sql: 'SELECT 1', parameters: {} }
  const parts = [note, chart(null), sql].map((content, at) => ({ id: String(at), columns: 4, rows: 2, content }))
  const query = (found: typeof rows | null) => boardReportQuery('Morning', { version: 1, parts }, () => found)
  expect(query(rows)).toMatchObject({ kind: 'board', name: 'Morning', parts: [note, { startMs: 10 * DAY }, sql] })

  const { signal } = new AbortController()
  const refuse = () => Promise.reject(new AppError('bad-input', 'No such column: “lst”.'))
  const made = await makeBoard(query(null), refuse, signal)
  const texts = made.content.parts.map((part) => [part.title, part.kind === 'text' ? part.lines[0] : part.kind])
  expect(texts).toEqual([
    ['Text', 'note'],
    ['Basis: Not in this report', 'No rows of “Basis” are cached. Open the workspace and download its data.'],
    ['Worst days: Not in this report', 'No such column: “lst”.'],
  ])
  expect(made.content.warnings).toHaveLength(2)
  expect(await computeBoard(made.query, refuse)).toEqual(made.content)
  expect(reportQuery.safeParse(made.query).success).toBe(true)
})

it('does not make a report of a board that was cancelled or met a fault of Perpscope itself', async () => {
  const query = boardReportQuery(
    'Morning',
    { version: 1, parts: [{ id: 'a', columns: 4, rows: 2, content: chart(null) }] },
    () => rows,
  )
  const fault = () => Promise.reject(new TypeError('undefined is not a function'))
  await expect(makeBoard(query, fault, new AbortController().signal)).rejects.toThrow(TypeError)
  const refuse = () => Promise.reject(new AppError('not-here'))
  await expect(makeBoard(query, refuse, AbortSignal.abort())).rejects.toThrow()
})

it('stops a part that never ends with a sentence, so that the parts after it are computed', async () => {
  const run = vi.fn((_query: unknown, { signal }: { signal: AbortSignal }) => {
    return new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
  })
  const dataDir = dataFolder()
  const deps = { dataDir, version: '0', store: openTestStore(dataDir), sql: { run } }
  const serviceWith = (partMs: number) => createRecordService({ ...deps, partMs } as unknown as RecordDeps)
  const endless = { kind: 'sql' as const, sql: 'SELECT 1', parameters: {} }
  const open = new AbortController()
  const context = { connectionId: '', signal: open.signal }
  await expect(serviceWith(20).boardPart(endless, context)).rejects.toMatchObject({
    code: 'too-large',
    detail: expect.stringContaining('Computing this part of the board took too long') as string,
  })
  expect(run.mock.calls[0][1].signal.aborted).toBe(true)
  const left = serviceWith(600_000).boardPart(endless, context)
  open.abort()
  await expect(left).rejects.toThrow('stopped')
})
