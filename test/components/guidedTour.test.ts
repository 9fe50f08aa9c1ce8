import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { screens } from '../../renderer/screens.ts'
import GuidedTour from '../../renderer/shell/GuidedTour.vue'
import { useTour } from '../../renderer/stores/tour.ts'
import { tourText } from '../../renderer/text/tour.ts'
import { button, mountWithHost } from './mountWithHost.ts'

it('leads through the screens that people work on, by buttons and by keys', async () => {
  const { wrapper, router } = await mountWithHost(GuidedTour)
  expect(wrapper.text()).toBe('')
  useTour().goTo(0)
  await flushPromises()
  const visited = new Set(tourText.steps.map(({ path }) => path.split('/')[1]))
  expect([...visited]).toEqual(['workbench', 'coverage', 'downloads', 'watch', 'portfolios', 'lab', 'boards'])
  const names = new Set<string>(screens.map(({ name }) => name))
  for (const [at, { title, path }] of tourText.steps.entries()) {
    expect(wrapper.find('h2').text()).toBe(title)
    expect(wrapper.text()).toContain(`Step ${at + 1} of ${tourText.steps.length}`)
    expect(router.currentRoute.value.path).toBe(path)
    expect(names).toContain(path.split('/')[1])
    await wrapper.find('[role=dialog]').trigger('keydown', { key: 'ArrowRight' })
    await flushPromises()
  }
  expect(wrapper.find('[role=dialog]').exists()).toBe(false)
})

it('goes back, focuses the button that goes on, and ends with Escape', async () => {
  const { wrapper } = await mountWithHost(GuidedTour)
  const tour = useTour()
  tour.goTo(1)
  await flushPromises()
  expect(document.activeElement?.textContent?.trim()).toBe('Next')
  await button(wrapper, 'Back').trigger('click')
  await flushPromises()
  expect(wrapper.text()).toContain(`Step 1 of ${tourText.steps.length}`)
  expect(button(wrapper, 'Back').attributes('disabled')).toBeDefined()
  await wrapper.find('[role=dialog]').trigger('keydown', { key: 'Escape' })
  expect(tour.stepIndex).toBeNull()
})
