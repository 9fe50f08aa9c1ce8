import { expect, it } from 'vitest'
import { connectionFields } from '#shared/contract/areas/connections.ts'

it.each([
  'https://m.example.com/api/v1',
  ' https://m.example.com/api/v1/ ',
  'https://m.example.com/api/v1//',
  'https://m.example.com',
])('takes %j for the address of the service before its path', (metricsUrl) => {
  const fields = { name: 'Desk', metricsUrl, portfolioUrl: '', catalogLocation: '', tier: null }
  expect(connectionFields.parse(fields).metricsUrl).toBe('https://m.example.com')
})

it('leaves a path that only looks like it', () => {
  const metricsUrl = 'https://m.example.com/my-api/v1x'
  const fields = { name: 'Desk', metricsUrl, portfolioUrl: '', catalogLocation: '', tier: null }
  expect(connectionFields.parse(fields).metricsUrl).toBe(metricsUrl)
})
