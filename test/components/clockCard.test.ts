import { mount } from '@vue/test-utils'
import { expect, it, onTestFinished } from 'vitest'
import { barChart } from '#shared/lab/kinds/charts.ts'
import ClockCard from '../../renderer/cards/ClockCard.vue'

const hours = Array.from({ length: 24 }, (_, hour) => hour)

function mountClock() {
  const names = hours.map((hour) => `${hour}:00`)
  const lines = {
    Calibrated: hours.map((hour) => (hour === 5 ? null : hour / 2)),
    Later: hours.map((hour) => hour),
  }
  const chosenHours = hours.map((hour) => (hour < 2 ? ('best' as const) : hour === 23 ? ('worst' as const) : null))
  const chart = { ...barChart('byHour', 'Value by hour', names, lines), chosenHours }
  const wrapper = mount(ClockCard, { props: { title: 'Value by hour', chart }, attachTo: document.body })
  onTestFinished(() => wrapper.unmount())
  return wrapper
}

it('names each hour with its values and what was chosen', () => {
  const labels = mountClock()
    .findAll('.hour')
    .map((segment) => segment.attributes('aria-label'))
  expect(labels).toHaveLength(24)
  expect(labels[1]).toBe('1:00, Calibrated 0.50000, Later 1.0000, chosen as best')
  expect(labels[5]).toBe('5:00, Calibrated –, Later 5.0000')
  expect(labels[23]).toContain('chosen as worst')
})

it('goes from hour to hour with the arrow keys, once round, and shows the numbers of that hour', async () => {
  const wrapper = mountClock()
  const focused = () => wrapper.findAll('.hour').filter((segment) => segment.attributes('tabindex') === '0')
  expect(focused()).toHaveLength(1)
  await wrapper.get('svg').trigger('keydown', { key: 'ArrowLeft' })
  expect(wrapper.get('.middle').text()).toContain('23:00')
  expect(document.activeElement?.getAttribute('aria-label')).toContain('23:00')
  await wrapper.get('svg').trigger('keydown', { key: 'ArrowRight' })
  await wrapper.get('svg').trigger('keydown', { key: 'ArrowRight' })
  expect(wrapper.get('.middle').text()).toContain('1:00')
  expect(focused()).toHaveLength(1)
})
