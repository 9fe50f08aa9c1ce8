import { mount, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { onTestFinished } from 'vitest'
import type { Component } from 'vue'
import { createMemoryHistory, createRouter, type Router } from 'vue-router'
import { useConnections } from '../../renderer/stores/connections.ts'
import { useHost } from '../../renderer/stores/host.ts'
import { useSettings } from '../../renderer/stores/settings.ts'
import { fakeWindowHost, type FakeWindowHost } from '../fakes/fakeWindowHost.ts'

export interface Mounted {
  host: FakeWindowHost
  wrapper: VueWrapper
  router: Router
}

/** Mounts a component in the page, with stores that are loaded from a fake host. */
export async function mountWithHost(
  component: Component,
  props: Record<string, unknown> = {},
  prepare: (host: FakeWindowHost) => void = () => {},
): Promise<Mounted> {
  localStorage.clear()
  const pinia = createPinia()
  setActivePinia(pinia)
  const host = fakeWindowHost()
  prepare(host)
  useHost().provide(host)
  await Promise.all([useSettings().start(), useConnections().start()])
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/:address(.*)*', component: { template: '<i />' } }],
  })
  const wrapper = mount(component, { props, attachTo: document.body, global: { plugins: [pinia, router] } })
  onTestFinished(() => wrapper.unmount())
  return { host, wrapper, router }
}

/** Returns the button with exactly this text or label. */
export function button(wrapper: VueWrapper, title: string) {
  const found = wrapper
    .findAll('button')
    .find((each) => each.text() === title || each.attributes('aria-label') === title)
  if (!found) throw new Error(`no button “${title}” in: ${wrapper.text()}`)
  return found
}
