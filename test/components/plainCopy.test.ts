import { expect, it } from 'vitest'
import { reactive, readonly, ref } from 'vue'
import { plainCopy } from '../../renderer/host/plainCopy.ts'
import { crossBridge } from '../fakes/contextBridge.ts'

it('takes values of the stores over a bridge that refuses proxies', () => {
  const draft = reactive({ name: 'BTC', days: ['2026-01-01'], nested: { on: true, none: null } })
  expect(() => crossBridge(draft)).toThrow('could not be cloned')
  expect(() => crossBridge({ inside: draft })).toThrow('could not be cloned')
  expect(crossBridge(plainCopy({ inside: draft, all: ref([draft]).value }))).toEqual({
    inside: { name: 'BTC', days: ['2026-01-01'], nested: { on: true, none: null } },
    all: [{ name: 'BTC', days: ['2026-01-01'], nested: { on: true, none: null } }],
  })
  expect(plainCopy(readonly(draft))).toEqual({ name: 'BTC', days: ['2026-01-01'], nested: { on: true, none: null } })
  expect(plainCopy(Object.freeze({ a: Object.freeze([1]) }))).toEqual({ a: [1] })
})

it('keeps −0, NaN, infinities, undefined and the memory of typed arrays', () => {
  const values = new Float64Array([-0, NaN, Infinity])
  const copy = crossBridge(plainCopy({ zero: -0, none: NaN, most: Infinity, left: undefined, values })) as Record<
    string,
    unknown
  >
  expect(copy).toStrictEqual({ zero: -0, none: NaN, most: Infinity, left: undefined, values })
  expect(copy.values).not.toBe(values)
})

it.each([
  ['a function', { call: () => {} }],
  ['a symbol', { mark: Symbol('x') }],
  ['an instance of a class', { at: new Date() }],
  ['a map', { all: new Map() }],
])('refuses %s with a sentence instead of losing it', (_name, value) =>
  expect(() => plainCopy(value)).toThrow(/cannot be sent/),
)

it('refuses endless nesting', () => {
  const loop: { self?: unknown } = {}
  loop.self = loop
  expect(() => plainCopy(loop)).toThrow(/nested too deeply/)
})
