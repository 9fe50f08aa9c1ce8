import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import AxisDialog from '../../renderer/views/workbench/AxisDialog.vue'
import NumberSetting from '../../renderer/views/settings/NumberSetting.vue'
import { useSettings } from '../../renderer/stores/settings.ts'
import { mountWithHost } from './mountWithHost.ts'

it.each(['0x10', '0b11', '1,500', 'ten'])('a setting refuses “%s” instead of guessing a number', async (typed) => {
  const { wrapper } = await mountWithHost(NumberSetting, { settingKey: 'cacheLimitGb' })
  const before = useSettings().current
  const input = wrapper.find('input')
  await input.setValue(typed)
  await input.trigger('blur')
  await flushPromises()
  expect(useSettings().current).toEqual(before)
  expect(input.attributes('aria-invalid')).toBe('true')
})

it('the bounds of an axis accept a thousands comma, and no decimal comma or hexadecimal number', async () => {
  const { wrapper } = await mountWithHost(AxisDialog, { side: 'left', unit: 'USDT', bounds: [0, 5], factor: 1 })
  const [low, high] = [...document.querySelectorAll('dialog input, [role=dialog] input')] as HTMLInputElement[]
  const type = async (input: HTMLInputElement, text: string) => {
    input.value = text
    input.dispatchEvent(new Event('input'))
    await flushPromises()
    return input.getAttribute('aria-invalid')
  }
  expect(await type(high, '1,500')).toBe('false')
  expect(await type(low, '1,5')).toBe('true')
  expect(await type(low, '0x10')).toBe('true')
  expect(wrapper.emitted('done')).toBeUndefined()
})
