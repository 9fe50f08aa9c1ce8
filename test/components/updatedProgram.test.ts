import { flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { expect, it, onTestFinished, vi } from 'vitest'
import { defineComponent, h } from 'vue'
import { toAppError } from '#shared/contract/errors.ts'
import ErrorBoundary from '../../renderer/components/ErrorBoundary.vue'
import { useToasts } from '../../renderer/stores/toasts.ts'

const lateParts = [
  new TypeError('Failed to fetch dynamically imported module: http://127.0.0.1:1/assets/Lab-1.js'),
  new TypeError('error loading dynamically imported module: http://127.0.0.1:1/assets/Lab-1.js'),
  new TypeError('Importing a module script failed.'),
  Object.assign(new Error('Cannot find module /out/main/lab-1.js'), { code: 'ERR_MODULE_NOT_FOUND' }),
]

it.each(lateParts)('says of a part that is gone that the program was updated: $message', (thrown) => {
  expect(toAppError(thrown)).toMatchObject({ code: 'updated', detail: null })
  setActivePinia(createPinia())
  const toasts = useToasts()
  toasts.problem(thrown)
  expect(toasts.list).toMatchObject([{ message: expect.stringContaining('updated'), action: { label: 'Reload' } }])
})

it('offers to reload the window instead of the screen', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const Screen = defineComponent(() => () => {
    throw lateParts[0]
  })
  const wrapper = mount(ErrorBoundary, { slots: { default: () => h(Screen) } })
  onTestFinished(() => wrapper.unmount())
  await flushPromises()
  expect(wrapper.get('h1').text()).toContain('was updated')
  expect(wrapper.findAll('button').map((each) => each.text())).toContain('Reload the window')
  expect(wrapper.find('pre').exists()).toBe(false)
})
