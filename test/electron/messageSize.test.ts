import { expect, it, vi } from 'vitest'

vi.mock('electron', () => import('../fakes/electron.ts'))
import { isWithin } from '../../electron/main/ipc.ts'

const kilobyte = 1024

it.each([
  ['text', 'x'.repeat(100)],
  ['numbers', Array.from({ length: 50 }, (_, at) => at)],
  ['an object', { a: { b: [1, 2, null, 'three'] } }],
  ['a typed array', new Float64Array(100)],
  ['nothing', undefined],
])('lets small values through: %s', (_what, value) => expect(isWithin(value, kilobyte)).toBe(true))

it.each([
  ['long text', { a: ['x'.repeat(600)] }],
  ['long names', { ['x'.repeat(600)]: 1 }],
  ['many numbers', new Array(200).fill(1)],
  ['an array of holes', new Array(1_000_000)],
  ['a typed array', { values: new Float64Array(200) }],
  ['a buffer', new ArrayBuffer(2000)],
  ['a map, which the contract never sends', new Map([[1, 2]])],
])('stops large ones: %s', (_what, value) => expect(isWithin(value, kilobyte)).toBe(false))

it('counts what refers to itself once', () => {
  const ring: Record<string, unknown> = {}
  ring.self = ring
  expect(isWithin(ring, kilobyte)).toBe(true)
})
