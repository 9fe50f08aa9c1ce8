import { flushPromises } from '@vue/test-utils'
import { expect, it } from 'vitest'
import type { Component } from 'vue'
import type { AppInfo } from '#shared/contract/areas/app.ts'
import type { MachinePolicy } from '#shared/contract/areas/policy.ts'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { useApp } from '../../renderer/stores/app.ts'
import ConnectionForm from '../../renderer/views/settings/ConnectionForm.vue'
import NetworkSection from '../../renderer/views/settings/NetworkSection.vue'
import { mountWithHost } from './mountWithHost.ts'

const policy: MachinePolicy = {
  file: '/etc/perpscope/policy.json',
  rules: { metricsUrl: 'https://metrics.corp.example', proxy: 'http://proxy.corp.example:3128', forbidUpdates: true },
}

const field = (wrapper: Awaited<ReturnType<typeof mountWithHost>>['wrapper'], label: string) => {
  const id = wrapper
    .findAll('label')
    .find((each) => each.text() === label)
    ?.attributes('for')
  return wrapper.find<HTMLInputElement>(`[id="${id}"]`)
}

const mountUnder = (inForce: MachinePolicy | null, component: Component, props = {}) =>
  mountWithHost(component, props, (host) =>
    host.answer('app.info', () => ({ version: '1', host: 'desktop', policy: inForce }) as AppInfo),
  )

it('takes a proxy and a certificate file, and says what is no proxy', async () => {
  const { wrapper, host } = await mountUnder(null, NetworkSection)
  await field(wrapper, 'Proxy').setValue('socks5://p:1')
  await field(wrapper, 'Proxy').trigger('blur')
  expect(wrapper.find('[role=alert]').text()).toContain('must be an http or https address')
  await field(wrapper, 'Proxy').setValue('http://me:secret@proxy.example:3128')
  await field(wrapper, 'Proxy').trigger('blur')
  expect(wrapper.find('[role=alert]').text()).toContain('must not contain a user name or password')
  await field(wrapper, 'Proxy').setValue('proxy.example:3128')
  await field(wrapper, 'Proxy').trigger('blur')
  await field(wrapper, 'Certificate file').setValue('/etc/ssl/corp.pem')
  await field(wrapper, 'Certificate file').trigger('keydown', { key: 'Enter' })
  await flushPromises()
  expect(host.calls.filter(([name]) => name === 'settings.change').map(([, input]) => input)).toEqual([
    { proxy: 'proxy.example:3128' },
    { extraCaFile: '/etc/ssl/corp.pem' },
  ])
})

it('shows what the policy of the machine sets, and does not let it be changed', async () => {
  const { wrapper } = await mountUnder(policy, NetworkSection)
  await useApp().start()
  expect(field(wrapper, 'Proxy').element.disabled).toBe(true)
  expect(field(wrapper, 'Without proxy').element.disabled).toBe(true)
  expect(field(wrapper, 'Certificate file').element.disabled).toBe(false)
  expect(wrapper.text()).toContain('Set by the policy of this machine (/etc/perpscope/policy.json)')
  expect(wrapper.findAll('dl > div').map((row) => row.text())).toEqual([
    'Metrics servicehttps://metrics.corp.example',
    'Proxyhttp://proxy.corp.example:3128',
    'Updatesforbidden',
  ])
})

it('locks the addresses of the policy in the form of a connection, and sends them', async () => {
  const { wrapper, host } = await mountUnder(policy, ConnectionForm, { connection: null })
  await useApp().start()
  await flushPromises()
  expect(wrapper.find<HTMLInputElement>('[name=metricsUrl]').element).toMatchObject({
    disabled: true,
    value: 'https://metrics.corp.example',
  })
  expect(wrapper.find<HTMLInputElement>('[name=portfolioUrl]').element.disabled).toBe(false)
  await wrapper.find('[name=name]').setValue('Desk')
  await wrapper.find('form').trigger('submit')
  await flushPromises()
  expect(host.calls.at(-1)).toMatchObject(['connections.add', { metricsUrl: 'https://metrics.corp.example' }])
})

it('opens the local API by its switch, and says where it and its token are but not the token', async () => {
  const { wrapper, host } = await mountUnder(null, NetworkSection)
  const box = wrapper.find<HTMLInputElement>('input[type=checkbox]')
  expect(box.element.checked).toBe(false)
  expect(wrapper.text()).not.toContain('curl')
  await box.setValue(true)
  host.emit('settings.changed', { ...defaultSettings, localDoor: true })
  const opened = { url: 'http://127.0.0.1:4711', tokenFile: "/home/o'neil/door/token" }
  host.emit('network.doorChanged', { open: opened, problem: null })
  await flushPromises()
  expect(host.calls).toContainEqual(['settings.change', { localDoor: true }])
  expect(wrapper.findAll('code').map((each) => each.text())).toEqual([opened.url, opened.tokenFile])
  expect(wrapper.find('pre').text()).toBe(
    `curl -H "Authorization: Bearer $(cat '/home/o'\\''neil/door/token')" http://127.0.0.1:4711/v1/openapi.json`,
  )
  host.emit('network.doorChanged', { open: null, problem: 'The folder cannot be written.' })
  await flushPromises()
  expect(wrapper.find('[role=alert]').text()).toContain('The folder cannot be written.')
})

it('has no switch of the local API where the policy of the machine forbids it', async () => {
  const { wrapper } = await mountUnder({ ...policy, rules: { forbidDoors: true } }, NetworkSection)
  await useApp().start()
  expect(wrapper.find('input[type=checkbox]').exists()).toBe(false)
  expect(wrapper.text()).toContain('The policy of this machine (/etc/perpscope/policy.json) forbids')
  expect(wrapper.text()).not.toContain('other programs on this machine can')
})
