import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { defineComponent, h } from 'vue'
import { ownSetting } from '../../renderer/stores/ownSetting.ts'
import { useSettings } from '../../renderer/stores/settings.ts'
import { mountWithHost } from './mountWithHost.ts'

const page = defineComponent(() => {
  const favourites = ownSetting('favouritePortfolios', 'portfolios.favourites')
  const add = () => (favourites.value = [...favourites.value, 'new.20'])
  return () => h('button', { onClick: add }, favourites.value.join(' '))
})

it('keeps what the person chose in the settings, at once', async () => {
  const { wrapper, host } = await mountWithHost(page)
  void wrapper.find('button').trigger('click')
  expect(useSettings().current.favouritePortfolios).toEqual(['new.20'])
  await flushPromises()
  expect(wrapper.text()).toBe('new.20')
  expect(host.calls).toContainEqual(['settings.change', { favouritePortfolios: ['new.20'] }])
})

it.each([
  ['moves what an earlier version kept in the window', '["old.20"]', [], 'old.20'],
  ['leaves the settings alone where they have a list already', '["old.20"]', ['mine.20'], 'mine.20'],
  ['forgets what is no list', '{', [], ''],
])('%s, once', async (_name, kept, settings, shown) => {
  const { wrapper } = await mountWithHost(page, {}, (host) => {
    localStorage.setItem('perpscope.portfolios.favourites', kept)
    void host.call('settings.change', { favouritePortfolios: settings })
  })
  await flushPromises()
  expect(wrapper.text()).toBe(shown)
  expect(localStorage.getItem('perpscope.portfolios.favourites')).toBeNull()
})
