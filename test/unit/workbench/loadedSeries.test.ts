import { expect, it } from 'vitest'
import { numberColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { rangeToLoad, type LoadedPart } from '../../../renderer/views/workbench/seriesData.ts'
import { shadingBands } from '../../../renderer/widgets/useShading.ts'
import { completionsAt } from '../../../renderer/widgets/completion.ts'

const part = (kind: 'rows' | 'bins', startMs: number, endMs: number, edges: number[] = []): LoadedPart => ({
  startMs,
  endMs,
  edges,
  points: { kind, binMs: kind === 'rows' ? null : 1, stepMs: 1, frame: { rows: 0, columns: [] } },
  coverage: [],
  unread: [],
  absentColumns: [],
  files: [],
  unit: null,
  unitWarnings: [],
  notes: [],
})
const loaded = (whole: LoadedPart | null, detail: LoadedPart | null = null) => ({
  whole,
  detail,
  error: null,
  problem: null,
})

it('asks for a nearer look only where points are coarse or end before the view does', () => {
  const view = { startMs: 400, endMs: 500 }
  const around = { startMs: 350, endMs: 550 }
  expect(rangeToLoad(loaded(null), view)).toBeNull()
  expect(rangeToLoad(loaded(part('rows', 0, 1000)), view)).toBeNull()
  expect(rangeToLoad(loaded(part('bins', 0, 1000)), view)).toEqual(around)
  expect(rangeToLoad(loaded(part('bins', 0, 1000), part('bins', 350, 550)), view)).toBeNull()
  expect(rangeToLoad(loaded(part('rows', 0, 450)), view)).toEqual(around)
})

it('asks again where the ends of the view cut a bin, and no further once it is parted there', () => {
  const view = { startMs: 400.5, endMs: 500 }
  const coarse = part('bins', 0, 1000)
  const near = (edges: number[]) => loaded(coarse, part('bins', 350, 550, edges))
  expect(rangeToLoad(near([]), view)).toEqual({ startMs: 350, endMs: 550 })
  expect(rangeToLoad(near([400.5, 500]), view)).toBeNull()
  expect(rangeToLoad(near([400.5, 500]), { startMs: 410.5, endMs: 500 })).not.toBeNull()
  expect(rangeToLoad(loaded(coarse), { startMs: -5.5, endMs: 1000.5 })).not.toBeNull()
  expect(rangeToLoad(loaded(coarse), { startMs: 0, endMs: 1000 })).toBeNull()
})

const daily = (values: (number | null)[]): Frame => ({
  rows: values.length,
  columns: [
    timeColumn(
      'time',
      values.map((_, at) => at * MS_PER_DAY),
    ),
    numberColumn('value', values),
  ],
})

it('joins days of one state, leaves days without one unshaded, and shows a measure by its quarters', () => {
  const bands = shadingBands(daily([0, 0, 1, null, 1]), 'regime', 'risk')
  expect(bands.map(({ startMs, endMs, label }) => [startMs / MS_PER_DAY, endMs / MS_PER_DAY, label])).toEqual([
    [0, 2, 'risk: 0'],
    [2, 3, 'risk: 1'],
    [4, 5, 'risk: 1'],
  ])
  const measure = shadingBands(daily(Array.from({ length: 100 }, (_, at) => at / 100)), 'overlay', 'exposure')
  expect(measure).toHaveLength(4)
  expect(measure[0].label).toBe('exposure: 0 to 0.240')
})

it('completes the word at the cursor, names before functions, and nothing inside a text', () => {
  const series = [{ name: 'spot', label: 'Spot price' }]
  const titles = (formula: string) => completionsAt(formula, formula.length, series).options.map(({ text }) => text)
  expect(titles('a + sp')).toEqual(['spot', 'spread('])
  expect(titles('a + spot')).toEqual([])
  expect(titles('resample(a, ')).toEqual([])
  expect(titles("resample(a, 's")).toEqual([])
  expect(completionsAt('sp + b', 2, series)).toMatchObject({ start: 0, end: 2 })
})
