import { flushPromises, mount } from '@vue/test-utils'
import { expect, test } from 'vitest'
import LicenceList from '../../renderer/views/settings/LicenceList.vue'

const opened = async (load: () => Promise<never[] | object[]>) => {
  const wrapper = mount(LicenceList, { props: { load: load as never } })
  await wrapper.get('details').trigger('toggle')
  await flushPromises()
  return wrapper
}

test('shows every package with its licence in full, or says that it includes no text', async () => {
  const wrapper = await opened(async () => [
    { name: 'vue', version: '3.5.45', licence: 'MIT', licenceText: 'Permission is hereby granted' },
    { name: 'css-render', version: '0.15.14', licence: 'MIT', licenceText: '' },
  ])
  expect(wrapper.findAll('li').map((item) => item.text())).toEqual([
    expect.stringMatching(/vue\s*3\.5\.45\s*MIT.*Permission is hereby granted/s),
    expect.stringMatching(/css-render.*includes no licence text/s),
  ])
})

test('says where the list comes from when it is not there', async () => {
  const wrapper = await opened(() => Promise.reject(new Error('not found')))
  expect(wrapper.get('[role=status]').text()).toContain('when the app is built')
})
