import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWireJoiner, decodeWire, encodeWire, WireError, wirePieces } from '#shared/contract/wire.ts'

const value = {
  message: '龙 “quoted”',
  nothing: null,
  frame: {
    numbers: new Float64Array([0, -0, NaN, Infinity, 1e-300]),
    codes: new Int32Array([1, -2, 3]),
    mask: new Uint8Array([1, 0, 1]),
    empty: new Float64Array(0),
    large: new BigInt64Array([2n ** 62n]),
  },
}

/** Copies the bytes into the middle of a larger Node buffer, as a socket delivers them. */
function inPool(bytes: Uint8Array, offset: number): Buffer {
  const pool = Buffer.alloc(bytes.length + offset + 3, 0xa5)
  pool.set(bytes, offset)
  return pool.subarray(offset, offset + bytes.length)
}

describe('values with typed arrays', () => {
  test('come back the same from wherever the bytes lie', () => {
    const bytes = encodeWire(value)
    expect(decodeWire(bytes)).toEqual(value)
    for (let offset = 0; offset < 17; offset++) expect(decodeWire(inPool(bytes, offset)), `at ${offset}`).toEqual(value)
  })

  test('any numbers at all', () => {
    fc.assert(
      fc.property(fc.float64Array(), fc.int32Array(), fc.uint8Array(), fc.nat(16), (a, b, c, offset) => {
        expect(decodeWire(inPool(encodeWire({ a, b, c }), offset))).toEqual({ a, b, c })
      }),
    )
  })
})

const oddKeys = ['$array', '$$array', '$$$array', '$arrays', '__proto__', 'constructor', 'toJSON', 'length', '0', '']

describe('objects with the keys of a person', () => {
  test.each(oddKeys)('keep %s, whatever its value', (key) => {
    for (const item of [1, null, 'f64', ['f64', 0, 1], { [key]: ['f64', 0, 1] }, new Float64Array([7])]) {
      const document = { before: 1, [key]: item, array: new Int32Array([5]), after: { deep: [{ [key]: item }] } }
      const decoded = decodeWire(encodeWire(document)) as Record<string, unknown>
      expect(decoded).toEqual(document)
      expect(Object.keys(decoded)).toEqual(Object.keys(document))
      expect(Object.hasOwn(decoded, key)).toBe(true)
    }
  })

  test('of any kind are the same after a journey', () => {
    const key = fc.oneof(fc.constantFrom(...oddKeys), fc.string())
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof({ maxDepth: 4 }, fc.constant(null), fc.boolean(), fc.string(), tie('list'), tie('object')),
      list: fc.array(tie('tree')),
      object: fc.array(fc.tuple(key, tie('tree'))).map((entries) => Object.fromEntries(entries) as unknown),
    }))
    fc.assert(
      fc.property(tree, (item) => {
        expect(decodeWire(encodeWire(item))).toEqual(item)
      }),
    )
  })
})

test('a message cut anywhere is refused or lacks nothing it needs', () => {
  const bytes = encodeWire(value)
  for (let length = 0; length < bytes.length - 8; length++) {
    expect(() => decodeWire(bytes.subarray(0, length)), `${length} bytes`).toThrow()
  }
})

test.each([
  ['another type', '{"a":{"$array":["f16",0,1]}}'],
  ['an inherited name', '{"a":{"$array":["constructor",0,1]}}'],
  ['a negative offset', '{"a":{"$array":["f64",-8,1]}}'],
  ['a length beyond the message', '{"a":{"$array":["f64",0,1000000000]}}'],
  ['no list', '{"a":{"$array":7}}'],
  ['a length that is none', '{"a":{"$array":["f64",0,"1"]}}'],
])('an array with %s is refused', (_name, text) => {
  const json = new TextEncoder().encode(text)
  const bytes = new Uint8Array(4 + json.length + 16)
  new DataView(bytes.buffer).setUint32(0, json.length, true)
  bytes.set(json, 4)
  expect(() => decodeWire(bytes)).toThrow(WireError)
})

describe('a large message', () => {
  const large = { rows: new Float64Array(1_000_000).map((_, at) => at / 3), message: 'x' }

  test('arrives in pieces of about a megabyte, with small messages before and after it', () => {
    const join = createWireJoiner()
    const sent = [value, large, value].flatMap((message) => [...wirePieces(message)])
    expect(Math.max(...sent.map(({ length }) => length))).toBeLessThan(1_100_000)
    const received = sent.flatMap((piece, at) => {
      const bytes = join(inPool(piece, at))
      return bytes ? [decodeWire(bytes)] : []
    })
    expect(received).toEqual([value, large, value])
  })

  test('of the size of a piece stays whole', () => {
    const message = { rows: new Uint8Array(100) }
    expect([...wirePieces(message)]).toEqual([encodeWire(message)])
  })

  test.each([1, 7, 4099, 2 ** 17, 300_000])('of many arrays of %i numbers is in pieces what it is whole', (length) => {
    const columns = Array.from({ length: Math.ceil(400_000 / length) }, (_, at) => ({
      values: new Float64Array(length).fill(at / 3),
      valid: at % 2 === 0 ? null : new Uint8Array(length).fill(1),
      name: '龙'.repeat(at % 5),
    }))
    const join = createWireJoiner()
    const joined = [...wirePieces({ columns })].map((piece) => join(piece)).at(-1)
    expect(Buffer.compare(joined!, encodeWire({ columns }))).toBe(0)
  })
})
