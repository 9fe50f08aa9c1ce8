import { mount } from '@vue/test-utils'
import { expect, it, onTestFinished } from 'vitest'
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

it('says once what is the same of every series', () => {
  const indexed = series.map((one) => ({ ...one, transform: 'indexed' as const }))
  const view = paneView({ id: 'p', title: '', scale: 'linear', series: indexed }, seconds(0, 2), 800, 200)
  const mounted = mount(ChartLegend, { props: { view, cursorMs: null, shownMs: null, zone: 'utc', heightPx: 48 } })
  expect(mounted.text().match(/index|start of view = 100/g)).toEqual(['index', 'start of view = 100'])
})

it('lists only what is drawn where nothing can be switched', () => {
  const mounted = legend(false)
  expect(mounted.findAll('[role="switch"]')).toEqual([])
  expect(mounted.text()).not.toContain('second')
})

it('renders once for each new view, because a second time would delay every zoom', async () => {
  let renders = 0
  const props = {
    view,
    cursorMs: null,
    shownMs: null,
    zone: 'utc',
    heightPx: 48,
    onVnodeUpdated: () => renders++,
  } as const
  const mounted = mount(ChartLegend, { props })
  await mounted.setProps({ view: { ...view } })
  await mounted.vm.$nextTick()
  expect(renders).toBe(1)
})

it('says how many series the pane has no room for', async () => {
  const lines: Record<string, number> = { first: 0, second: 24, third: 48 }
  const lineOf = (element: HTMLElement) => lines[element.querySelector('.name')?.textContent?.trim() ?? ''] ?? 0
  layOut('offsetTop', (element) => (element.tagName === 'LI' ? lineOf(element) : 0))
  layOut('clientHeight', (element) => (element.tagName === 'UL' ? 72 : 0))
  const mounted = mount(ChartLegend, {
    props: { view, cursorMs: null, shownMs: null, zone: 'utc', heightPx: 24, canToggle: true },
    attachTo: document.body,
  })
  await expect.poll(() => mounted.find('.more').exists()).toBe(true)
  expect([mounted.get('.more').text(), mounted.get('.more').attributes('title')]).toEqual([
    '+2',
    expect.stringMatching(/^2.more series: scroll here/),
  ])
  expect(mounted.get('.chart-legend').attributes('tabindex')).toBe('0')
  mounted.get('.chart-legend').element.scrollTop = 24
  await mounted.get('.chart-legend').trigger('scroll')
  expect(mounted.get('.more').text()).toBe('+1')
  await mounted.setProps({ heightPx: 72 })
  expect(mounted.find('.more').exists()).toBe(false)
})

it('counts notes that are cut off as notes, not as series', async () => {
  layOut('offsetTop', (element) => (element.classList.contains('warning') ? 24 : 0))
  layOut('clientHeight', (element) => (element.tagName === 'UL' ? 48 : 0))
  const noted = { ...view, warnings: ['no value in view'] }
  const props = { view: noted, cursorMs: null, shownMs: null, zone: 'utc', heightPx: 24, canToggle: true } as const
  const mounted = mount(ChartLegend, { props, attachTo: document.body })
  await expect.poll(() => mounted.find('.more').exists()).toBe(true)
  expect(mounted.get('.more').text()).toBe('…')
  expect(mounted.get('.more').attributes('title')).toMatch(/^1.note: scroll here/)
})

/** Gives elements a layout, which the test environment lacks, until the test ends. */
function layOut(name: 'offsetTop' | 'clientHeight', of: (element: HTMLElement) => number): void {
  const before = Object.getOwnPropertyDescriptor(HTMLElement.prototype, name)
  Object.defineProperty(HTMLElement.prototype, name, {
    configurable: true,
    get(this: HTMLElement) {
      return of(this)
    },
  })
  onTestFinished(() => {
    if (before) Object.defineProperty(HTMLElement.prototype, name, before)
    else Reflect.deleteProperty(HTMLElement.prototype, name)
  })
}
