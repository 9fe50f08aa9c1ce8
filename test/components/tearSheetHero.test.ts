import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { tearSheet } from '#shared/portfolio/tearSheet.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { heroRows } from '../../renderer/views/portfolios/portfolio/heroFigures.ts'
import RangeChips from '../../renderer/views/portfolios/portfolio/RangeChips.vue'

const first = dayNumberOf('2026-01-01')
const line = (label: string, daily: number) => {
  const values = Float64Array.from({ length: 59 }, (_, day) => (day < 31 ? daily : -daily))
  const whole = tearSheet({ days: Int32Array.from(values, (_, day) => first + day), values, valid: null })
  return { id: label, label, whole, inView: whole }
}

it('leads with six figures of each line, and with how they differ from the first', () => {
  const rows = heroRows([line('a', 0.001), line('b', 0.002)])
  expect(rows.map(({ name }) => name)).toEqual([
    'CAGR',
    'Volatility',
    'Sharpe',
    'Maximum drawdown',
    'Last month',
    'Worst month',
  ])
  const lastMonth = rows[4].cells.map(({ text }) => text)
  expect(lastMonth).toEqual(['−2.76 %', '−5.45 %'])
  expect(rows[4].cells.map(({ difference }) => difference)).toEqual(['', '−2.69 %'])
  expect(rows[5].cells).toEqual(rows[4].cells)
})

it('offers ranges that end on the last day of the returns', async () => {
  const wrapper = mount(RangeChips, { props: { from: '', to: '', lastDay: dayNumberOf('2026-10-31') } })
  const press = (title: string) =>
    wrapper
      .findAll('button')
      .find((each) => each.text() === title)!
      .trigger('click')
  await press('1M')
  await press('YTD')
  expect(wrapper.emitted('change')).toEqual([[{ from: '2026-10-02', to: '' }], [{ from: '2026-01-01', to: '' }]])
  await wrapper.setProps({ from: '2026-01-01' })
  expect(wrapper.findAll('[aria-pressed=true]').map((each) => each.text())).toEqual(['YTD'])
  await wrapper.setProps({ from: '2026-01-05' })
  expect(wrapper.findAll('[aria-pressed=true]')).toEqual([])
  const custom = wrapper.get('[aria-haspopup=dialog]')
  expect(custom.text()).toBe('2026-01-05 – last day')
  await custom.trigger('click')
  expect(wrapper.findAll('input').map(({ element }) => element.value)).toEqual(['2026-01-05', ''])
})
