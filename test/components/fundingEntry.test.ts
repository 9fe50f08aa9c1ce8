import { expect, it } from 'vitest'
import FundingEntry from '../../renderer/components/FundingEntry.vue'
import { mountWithHost } from './mountWithHost.ts'

const instruments = [
  { exchange: 'alpha-futures', symbol: 'perpetual-BTC-USDT:USDT' },
  { exchange: 'beta-perps', symbol: 'perpetual-ETH-USDT:USDT' },
]

it('types a period for a symbol, or for its whole venue, and refuses what is no period', async () => {
  const { wrapper } = await mountWithHost(FundingEntry, { instruments })
  const form = wrapper.find('form')
  const choose = (title: string) =>
    wrapper
      .findAll('label')
      .find((label) => label.text() === title)!
      .find('input')
      .setValue()
  await form.trigger('submit')
  await choose('1h')
  await form.trigger('submit')
  const [btc] = instruments
  expect(wrapper.emitted('save')).toEqual([[{ ...btc, every: '8h' }], [{ ...btc, every: '1h' }]])

  await choose('other')
  const submit = wrapper.find('button[type=submit]')
  expect(submit.attributes('disabled')).toBeDefined()
  const other = wrapper.find('.other')
  await other.setValue('2 days')
  expect(other.attributes('aria-invalid')).toBe('true')
  await form.trigger('submit')
  expect(wrapper.emitted('save')).toHaveLength(2)
  await other.setValue('30m')
  expect(submit.attributes('disabled')).toBeUndefined()

  wrapper.findComponent({ name: 'SelectBox' }).vm.$emit('update:modelValue', 'beta-perps\n')
  await form.trigger('submit')
  expect(wrapper.emitted('save')?.at(-1)).toEqual([{ exchange: 'beta-perps', symbol: null, every: '30m' }])
})
