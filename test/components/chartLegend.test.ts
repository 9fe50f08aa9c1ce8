import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import ChartLegend from '../../renderer/charts/ChartLegend.vue'
import { paneView } from '../../renderer/charts/paneView.ts'
import { seconds, secondsSeries } from '../unit/charts/chartSeries.ts'

const series = [secondsSeries([1, 2], { id: 'a', label: 'first' }), secondsSeries([3, 4], { id: 'c', label: 'third' })]
const hidden = [{ id: 'b', label: 'second', colour: 1, place: 1 }]
const view = paneView({ id: 'p', title: '', scale: 'linear', series, hidden }, seconds(0, 2), 800, 200)
const legend = (canToggle: boolean) =>
  mount(ChartLegend, { props: { view, cursorMs: null, shownMs: null, zone: 'utc', heightPx: 48, canToggle } })

it('lists hidden series in their places, and hides and shows series by switches', async () => {
  const mounted = legend(true)
  const switches = mounted.findAll('[role="switch"]')
  expect(switches.map((one) => [one.text(), one.attributes('aria-checked')])).toEqual([
    ['first', 'true'],
    ['second', 'false'],
    ['third', 'true'],
  ])
  await switches[1].trigger('click')
  expect(mounted.emitted('toggle')).toEqual([['b']])
})

it('lists only what is drawn where nothing can be switched', () => {
  const mounted = legend(false)
  expect(mounted.findAll('[role="switch"]')).toEqual([])
  expect(mounted.text()).not.toContain('second')
})
