import { createPinia, setActivePinia } from 'pinia'
import { expect, it } from 'vitest'
import type { BoardAnswer, BoardContent } from '#shared/contract/areas/boards.ts'
import { contentKey, useBoards } from '../../renderer/stores/boards.ts'
import { useHost } from '../../renderer/stores/host.ts'
import { chartFigure } from '../../renderer/views/boards/partContent.ts'
import { fakeWindowHost } from '../fakes/fakeWindowHost.ts'

const note: BoardContent = { kind: 'text', markdown: 'A note' }
const test: BoardContent = { kind: 'study', document: { version: 1, kind: 'portfolio' }, panel: null, against: null }
const study: BoardContent = { kind: 'study', document: { version: 1, kind: 'signal' }, panel: null, against: null }

it('never runs a tested portfolio by itself, because on new data each run is a trial', async () => {
  setActivePinia(createPinia())
  const host = fakeWindowHost()
  useHost().provide(host)
  const asked: unknown[] = []
  const parts = [note, test, study].map((content, at) => ({ id: `p${at}`, columns: 4, rows: 2, content }))
  host.answer('boards.list', () => [{ id: 'b', name: 'Board', changedAt: 0, parts: 3 }])
  host.answer('boards.read', () => ({ id: 'b', name: 'Board', document: { version: 1, parts }, revision: 1 }))
  host.answer('boards.answer', ({ content }) => {
    asked.push(content)
    return { title: '', parts: [], warnings: [], sources: 0 } as unknown as BoardAnswer
  })
  const boards = useBoards()
  await boards.start()
  await boards.open('b')
  await expect.poll(() => asked, { timeout: 30_000 }).toEqual([note, study])
  await boards.follow()
  expect(asked).toEqual([note, study, note, study])
  await boards.run()
  expect(asked.slice(4)).toEqual([note, test, study])
})

it('shows a note without waiting for the parts before it', async () => {
  setActivePinia(createPinia())
  const host = fakeWindowHost()
  useHost().provide(host)
  const parts = [study, note].map((content, at) => ({ id: `p${at}`, columns: 4, rows: 2, content }))
  host.answer('boards.list', () => [{ id: 'b', name: 'Board', changedAt: 0, parts: 2 }])
  host.answer('boards.read', () => ({ id: 'b', name: 'Board', document: { version: 1, parts }, revision: 1 }))
  host.answer('boards.answer', ({ content }) =>
    content.kind === 'text' ? ({ title: 'A note' } as unknown as BoardAnswer) : new Promise<BoardAnswer>(() => {}),
  )
  const boards = useBoards()
  await boards.start()
  await boards.open('b')
  await expect.poll(() => boards.answers.get(contentKey(note))?.answer?.title, { timeout: 30_000 }).toBe('A note')
})

it('draws a logarithmic chart of a workspace so, without the values that have no place on it', () => {
  const series = [
    { label: 'a', numbers: 'figure' as const, x: Float64Array.of(1, 2, 3), values: Float64Array.of(10, 0, -1) },
  ]
  const chart = { kind: 'chart' as const, title: 'Price', style: 'line' as const, names: null, series }
  expect(chartFigure({ ...chart, isLog: true })).toMatchObject({
    isLog: true,
    marks: [{ y: Float64Array.of(10, NaN, NaN) }],
  })
  expect(chartFigure(chart)).toMatchObject({ isLog: false, marks: [{ y: Float64Array.of(10, 0, -1) }] })
})
