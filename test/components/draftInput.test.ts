import { mount } from '@vue/test-utils'
import { nextTick } from 'vue'
import { expect, it } from 'vitest'
import DraftInput from '../../renderer/components/DraftInput.vue'
import DaysField from '../../renderer/views/portfolios/DaysField.vue'

/** Types as a user does: the field reports its value only when it loses the focus. */
async function type(
  field: { element: HTMLInputElement; trigger(event: string): Promise<void> },
  text: string,
): Promise<void> {
  field.element.value = text
  await field.trigger('input')
}

it('keeps what a slow finger types while the screen changes, and hands it on by Enter', async () => {
  const wrapper = mount(DraftInput, { props: { modelValue: '' }, attrs: { placeholder: 'any' } })
  const input = wrapper.get('input')
  await type(input, 'BT')
  const around: Record<string, string> = { placeholder: 'any base' }
  await wrapper.setProps(around)
  expect(input.element.value).toBe('BT')
  expect(wrapper.emitted('update:modelValue')).toBeUndefined()
  await type(input, 'BTC ')
  await input.trigger('keydown', { key: 'Enter' })
  await input.trigger('change')
  expect(wrapper.emitted('update:modelValue')).toEqual([['BTC']])
  await wrapper.setProps({ modelValue: 'BTC' })
  await type(input, 'ETH')
  await input.trigger('keydown', { key: 'Escape' })
  expect(input.element.value).toBe('BTC')
})

it('says at the field that the last day lies before the first, and does not ask for such a range', async () => {
  const wrapper = mount(DaysField, { props: { from: '2026-03-01', to: '' } })
  const [, to] = wrapper.findAll('input')
  await type(to, '2026-02-01')
  await nextTick()
  expect(wrapper.find('[role=alert]').exists()).toBe(false)
  await to.trigger('change')
  expect(wrapper.get('[role=alert]').text()).toBe('This day is before the first day, 2026-03-01')
  expect(to.attributes('aria-invalid')).toBe('true')
  expect(wrapper.emitted('change')).toBeUndefined()
  await type(to, '2026-04-01')
  await to.trigger('change')
  expect(wrapper.emitted('change')).toEqual([[{ to: '2026-04-01' }]])
})

it('says where an address has its days in the wrong order', async () => {
  const wrapper = mount(DaysField, { props: { from: '2026-03-01', to: '2026-02-01' } })
  await nextTick()
  expect(wrapper.get('[role=alert]').text()).toContain('before the first day')
  const [from] = wrapper.findAll('input')
  await type(from, 'March')
  await from.trigger('change')
  expect(wrapper.get('[role=alert]').text()).toContain('Enter a date')
})
