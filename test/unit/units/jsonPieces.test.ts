import { gunzipSync } from 'node:zlib'
import { exactJson } from '#shared/units/exactJson.ts'
import { packJson } from '#core/store/storedJson.ts'
import { jsonPieces, madeWhenWritten } from '#shared/units/jsonPieces.ts'
import { expect, it } from 'vitest'

const numbers = Array.from({ length: 10_001 }, (_, at) => (at % 7 === 0 ? null : at / 3))
const values: unknown[] = [
  null,
  -0,
  'a “text”',
  [],
  {},
  { a: undefined, b: numbers },
  {
    horizons: [{ series: { rank: numbers, n: [1, 2] }, key: 'x"y' }, { series: { rank: [], n: numbers } }],
    none: undefined,
  },
  Array.from({ length: 5000 }, (_, at) => ({ at, q: null, list: [at, -0] })),
  [numbers, [numbers], [undefined, 1]],
  { deep: { deeper: { deepest: numbers } }, empty: {}, left: [] },
]

it.each(values.map((value, at) => [at, value]))('writes value %i in pieces as in one text', (_at, value) => {
  expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value))
  expect([...jsonPieces(value, exactJson)].join('')).toBe(exactJson(value))
  for (const piece of jsonPieces(value)) expect(piece.length).toBeLessThan(200_000)
})

it.each([
  ['few repeat', Array.from({ length: 5000 }, (_, at) => (at - 2000) / 7)],
  ['most repeat', Array.from({ length: 5000 }, (_, at) => Math.floor(at / 30) / 7)],
])('writes numbers of which %s with the sign of zero, and what is no number as null', (_name, list) => {
  const signed = [...list, -0, NaN, Infinity, 0, -0]
  expect(exactJson(list)).toBe(JSON.stringify(list))
  expect(exactJson(signed)).toBe(`${JSON.stringify(list).slice(0, -1)},-0,null,null,0,-0]`)
  expect(exactJson([...list, 'x'])).toBe(JSON.stringify([...list, 'x']))
})

it('makes a value that is made when it is written once, also within a short document', () => {
  let made = 0
  const row = (at: number) =>
    madeWhenWritten(() => {
      made++
      return [at, -0, null]
    })
  for (const rows of [1, 3, 5000]) {
    made = 0
    const document = { data: Array.from({ length: rows }, (_, at) => row(at)), rows }
    const written = [...jsonPieces(document, exactJson)].join('')
    expect(made).toBe(rows)
    expect(written).toBe(
      `{"data":[${Array.from({ length: rows }, (_, at) => `[${at},-0,null]`).join(',')}],"rows":${rows}}`,
    )
  }
})

it('packs a large value in parts that unpack as one', () => {
  const value = { lists: Array.from({ length: 40 }, () => numbers) }
  expect(gunzipSync(packJson(value)).toString('utf8')).toBe(JSON.stringify(value))
})
