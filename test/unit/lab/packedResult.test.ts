import { packedBuffers, packLists, unpackLists } from '#core/lab/packedResult.ts'
import { expect, it } from 'vitest'

const numbers = Array.from({ length: 3000 }, (_, at) => (at % 2 === 0 ? at / 7 : -0))
const values: unknown[] = [
  { a: [1, null, 2], b: 'text', c: null, d: { numbers } },
  { horizons: [{ rank: numbers.map((one, at) => (at % 5 === 0 ? null : one)), times: numbers }] },
  { texts: Array.from({ length: 2000 }, (_, at) => `S${at}`), rows: Array.from({ length: 2000 }, (_, at) => ({ at })) },
  { broken: Array.from({ length: 2000 }, () => NaN) },
]

it.each(values.map((value, at) => [at, value]))('value %i is the same after it was packed', (_at, value) => {
  const packed = packLists(structuredClone(value))
  expect(unpackLists(structuredClone(packed, { transfer: packedBuffers(packed) }))).toStrictEqual(value)
})

it('frees the packed lists as it unpacks them', () => {
  const packed = packLists({ horizons: [{ rank: numbers.slice(), times: numbers.slice() }] })
  const buffers = packedBuffers(packed)
  expect(buffers.map(({ byteLength }) => byteLength)).toEqual([24_000, 24_000])
  unpackLists(packed)
  expect(buffers.map(({ byteLength }) => byteLength)).toEqual([0, 0])
})
