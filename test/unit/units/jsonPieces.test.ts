import { gunzipSync } from 'node:zlib'
import { exactJson } from '#shared/units/exactJson.ts'
import { packJson } from '#core/store/storedJson.ts'
import { jsonPieces } from '#shared/units/jsonPieces.ts'
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

it('packs a large value in parts that unpack as one', () => {
  const value = { lists: Array.from({ length: 40 }, () => numbers) }
  expect(gunzipSync(packJson(value)).toString('utf8')).toBe(JSON.stringify(value))
})
