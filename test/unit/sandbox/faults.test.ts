import { expect, test } from 'vitest'
import { FaultRegistry } from '../../../electron/sandbox/faults/faultRegistry.ts'
import { FaultsError, parseFaults } from '../../../electron/sandbox/faults/faults.ts'

test.each([
  [[], 'faults must be an object'],
  [{ latency: 3 }, 'faults has no field latency'],
  [{ rules: {} }, 'faults.rules must be a list'],
  [{ rules: [{ latencyMs: '3' }] }, 'faults.rules[0].latencyMs must be a number'],
  [{ rules: [{ on: 'disk' }] }, 'faults.rules[0].on must be one of api, storage'],
  [{ rules: [{ speed: 1 }] }, 'faults.rules[0] has no field speed'],
  [{ files: { time: 'days' } }, 'faults.files.time must be one of'],
  [{ errorBody: 'poem' }, 'faults.errorBody must be one of'],
])('%j is refused with words', (value, message) => {
  expect(() => parseFaults(value)).toThrow(FaultsError)
  expect(() => parseFaults(value)).toThrow(message)
})

const statuses = (book: FaultRegistry, count: number, on: 'api' | 'storage' = 'api', path = '/x') =>
  Array.from({ length: count }, () => book.effectsOn(on, path).status ?? 200)

test('a rule lets `skip` requests pass and hits `times` of them', () => {
  const book = new FaultRegistry({ rules: [{ status: 503, skip: 2, times: 2 }] })
  expect(statuses(book, 6)).toEqual([200, 200, 503, 503, 200, 200])
})

test('a rule hits its share of the requests, the same ones each time', () => {
  const faults = { rules: [{ status: 500, chance: 0.25 }] }
  const hits = statuses(new FaultRegistry(faults), 100)
  expect(hits.filter((status) => status === 500)).toHaveLength(25)
  expect(statuses(new FaultRegistry(faults), 100)).toEqual(hits)
})

test('a rule stays on its side and path', () => {
  const book = new FaultRegistry({ rules: [{ on: 'storage', path: '/flow', status: 500 }] })
  expect(statuses(book, 1, 'api', '/flow')).toEqual([200])
  expect(statuses(book, 1, 'storage', '/range')).toEqual([200])
  expect(statuses(book, 1, 'storage', '/a/flow.x')).toEqual([500])
})

test('rules add up; setting faults anew forgets what was counted', () => {
  const faults = {
    rules: [
      { latencyMs: 5, times: 1 },
      { status: 429, times: 1 },
    ],
  }
  const book = new FaultRegistry(faults)
  expect(book.effectsOn('api', '/')).toMatchObject({ latencyMs: 5, status: 429 })
  expect(book.effectsOn('api', '/')).toEqual({})
  book.set(faults)
  expect(book.effectsOn('api', '/')).toMatchObject({ latencyMs: 5, status: 429 })
})
