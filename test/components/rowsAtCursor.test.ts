import { effectScope, nextTick, ref } from 'vue'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { numberColumn } from '#shared/contract/frame.ts'
import type { OverviewPoints } from '#shared/contract/areas/series.ts'
import type { SeriesEntry } from '#shared/workspace/workspace.ts'
import type { LoadedSeries, Part } from '../../renderer/views/workbench/seriesData.ts'
import { useRowsAtCursor } from '../../renderer/views/workbench/useRowsAtCursor.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const HOUR_MS = 3_600_000
const view = { startMs: 0, endMs: 1000 * HOUR_MS }

function part(kind: OverviewPoints['kind'], times: number[], values: number[]): Part {
  const columns = [{ ...numberColumn('time', times), kind: 'time' as const }, numberColumn('value', values)]
  const points: OverviewPoints = { kind, bucketMs: null, stepMs: HOUR_MS, frame: { rows: times.length, columns } }
  const nothing = { coverage: [], unread: [], absentColumns: [], files: [], edges: [] }
  return { ...view, points, ...nothing, unit: null, unitWarnings: [], notes: [] }
}

const entry = (id: string, more: Partial<SeriesEntry> = {}) =>
  ({ id, name: id, source: { kind: 'formula', formula: 'x' }, transform: 'none', ...more }) as SeriesEntry

it('reads the rows of reduced series once the pointer rests, and those of no other', async () => {
  const asked: [string, number][] = []
  const kinds: Record<string, OverviewPoints['kind']> = { a: 'buckets', b: 'buckets', whole: 'rows', hidden: 'buckets' }
  const cursorMs = ref<number | null>(null)
  const scope = effectScope()
  const found = scope.run(() =>
    useRowsAtCursor(
      {
        of: (id) => ({ whole: part(kinds[id], [], []), detail: null, error: null, trouble: null }) as LoadedSeries,
        view: ref(view) as never,
        rowsAround: async (id, timeMs) => {
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
