import { expect, it } from 'vitest'
import type { Pane } from '../../../renderer/charts/model.ts'
import { renewedView } from '../../../renderer/charts/paneView.ts'
import { secondsSeries } from './chartSeries.ts'

const range = { startMs: 0, endMs: 100 }
const times = Float64Array.of(0, 50, 100)
const values = Float64Array.of(1, 2, 3)
const pane = (more: object = {}): Pane => ({
  id: 'p',
  title: '',
  scale: 'linear',
  series: [{ ...secondsSeries([], { times, values, ...more }) }],
})

it('a pane whose content is the same keeps its view, however often its model is built', () => {
  const first = renewedView(undefined, pane(), range, 500, 200)
  expect(renewedView(first, pane(), { ...range }, 500, 200)).toBe(first)
})

it('a pane with other values, another label, range, width or number of ticks gets another view', () => {
  const first = renewedView(undefined, pane(), range, 500, 200)
  const others = [
    renewedView(first, pane({ values: Float64Array.of(1, 2, 3) }), range, 500, 200),
    renewedView(first, pane({ label: 'other' }), range, 500, 200),
    renewedView(first, pane(), { startMs: 0, endMs: 90 }, 500, 200),
    renewedView(first, pane(), range, 600, 200),
    renewedView(first, pane(), range, 500, 400),
  ]
  for (const other of others) expect(other).not.toBe(first)
})
