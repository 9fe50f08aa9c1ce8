import { expect, it } from 'vitest'
import type { ServiceTestResult } from '#shared/contract/areas/connections.ts'
import { AppError } from '#shared/contract/errors.ts'
import ToastStack from '../../renderer/components/ToastStack.vue'
import { useToasts } from '../../renderer/stores/toasts.ts'
import ConnectionTest from '../../renderer/views/settings/ConnectionTest.vue'
import { mountWithHost } from './mountWithHost.ts'

const message = 'Not in your plan Plans: https://a.example/plans'

it('links the plans that a service offers in the result of a connection test', async () => {
  const results: ServiceTestResult[] = [{ service: 'metrics', outcome: 'refused', message: `It says: “${message}”` }]
  const { wrapper } = await mountWithHost(ConnectionTest, { results })
  expect(wrapper.get('a').attributes('href')).toBe('https://a.example/plans')
  expect(wrapper.get('.message').text()).toBe(`It says: “${message}”`)
})

it('links the plans that a service offers in the message about a failed action', async () => {
  const { wrapper } = await mountWithHost(ToastStack, { toasts: [] })
  const toasts = useToasts()
  toasts.problem(new AppError('forbidden', null, { service: { message, status: 403, requestId: null } }))
  await wrapper.setProps({ toasts: toasts.list })
  expect(wrapper.get('.toast a').attributes('href')).toBe('https://a.example/plans')
})
