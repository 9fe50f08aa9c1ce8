import { effectScope, nextTick, ref, shallowRef } from 'vue'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { numberColumn } from '#shared/contract/frame.ts'
import type { OverviewPoints } from '#shared/contract/areas/series.ts'
import type { SeriesEntry } from '#shared/workspace/workspaceSchema.ts'
import type { LoadedSeries, LoadedPart } from '../../renderer/views/workbench/seriesData.ts'
import { useMeasureEnds, useRowsAtCursor } from '../../renderer/views/workbench/rowsAtInstants.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const HOUR_MS = 3_600_000
const view = { startMs: 0, endMs: 1000 * HOUR_MS }

function part(kind: OverviewPoints['kind'], times: number[], values: number[]): LoadedPart {
  const columns = [{ ...numberColumn('time', times), kind: 'time' as const }, numberColumn('value', values)]
  const points: OverviewPoints = { kind, binMs: null, stepMs: HOUR_MS, frame: { rows: times.length, columns } }
  const nothing = { coverage: [], unread: [], absentColumns: [], files: [], edges: [] }
  return { ...view, points, ...nothing, unit: null, unitWarnings: [], notes: [] }
}

const entry = (id: string, more: Partial<SeriesEntry> = {}) =>
  ({ id, name: id, source: { kind: 'formula', formula: 'x' }, transform: 'none', ...more }) as SeriesEntry

it('reads the rows of reduced series once the pointer rests, and those of no other', async () => {
  const asked: [string, number][] = []
  const kinds: Record<string, OverviewPoints['kind']> = { a: 'bins', b: 'bins', whole: 'rows', hidden: 'bins' }
  const cursorMs = ref<number | null>(null)
  const scope = effectScope()
  const found = scope.run(() =>
    useRowsAtCursor(
      {
        loadedOf: (id) =>
          ({ whole: part(kinds[id], [], []), detail: null, error: null, problem: null }) as LoadedSeries,
        view: ref(view) as never,
        rowsUpTo: async (id, timeMs) => {
          asked.push([id, timeMs])
          if (id === 'b') throw new Error('The file is damaged.')
          return part('rows', [timeMs - HOUR_MS, timeMs], [1, 2])
        },
      },
      () => [entry('a'), entry('b'), entry('whole'), entry('hidden', { hidden: true })],
      () => cursorMs.value,
    ),
  )!
  for (const timeMs of [5 * HOUR_MS, 6 * HOUR_MS, 7 * HOUR_MS]) {
    cursorMs.value = timeMs
    await nextTick()
    await vi.advanceTimersByTimeAsync(5)
  }
  await vi.advanceTimersByTimeAsync(100)
  expect(asked).toEqual([
    ['a', 7 * HOUR_MS],
    ['b', 7 * HOUR_MS],
  ])
  expect(found.value!.timeMs).toBe(7 * HOUR_MS)
  expect([...found.value!.rows.keys()]).toEqual(['a'])
  expect([...found.value!.rows.get('a')!.values]).toEqual([1, 2])
  expect(found.value!.rows.get('a')!.stepMs).toBe(HOUR_MS)
  scope.stop()
})

it('reads the ends of measured ranges from all rows, and again when the files change but not with the view', async () => {
  const asked: [string, number][] = []
  const loaded = shallowRef<LoadedSeries>({ whole: part('bins', [], []), detail: null, error: null, problem: null })
  const pane = { id: 'p', title: '', scale: 'linear' as const, series: [entry('gone', { hidden: true }), entry('a')] }
  const measures = [
    { id: 'm', paneId: 'p', startMs: HOUR_MS, endMs: 5 * HOUR_MS },
    { id: 'lost', paneId: 'other', startMs: 0, endMs: HOUR_MS },
  ]
  const scope = effectScope()
  const rowsUpTo = async (id: string, timeMs: number) => {
    asked.push([id, timeMs])
    return part('rows', [timeMs], [timeMs / HOUR_MS])
  }
  const found = scope.run(() =>
    useMeasureEnds({ loadedOf: () => loaded.value, rowsUpTo }, () => ({ panes: [pane], measures })),
  )!
  await vi.advanceTimersByTimeAsync(0)
  const ends = [...found.value].flatMap(([id, byPane]) =>
    [...byPane].map(([paneId, { start, end }]) => [id, paneId, ...start.values, ...end.values]),
  )
  // A range is measured in every pane, even if the pane in which it was started no longer exists.
  expect(ends).toEqual([
    ['m', 'p', 1, 5],
    ['lost', 'p', 0, 1],
  ])
  loaded.value = { ...loaded.value, detail: part('rows', [], []) }
  await vi.advanceTimersByTimeAsync(0)
  const once = [
    ['a', HOUR_MS],
    ['a', 5 * HOUR_MS],
    ['a', 0],
    ['a', HOUR_MS],
  ]
  expect(asked).toEqual(once)
  loaded.value = { ...loaded.value, whole: part('bins', [], []) }
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toEqual([...once, ...once])
  scope.stop()
})
