import { afterAll, describe, expect, test } from 'vitest'
import { createJsonReader } from '#core/clients/jsonReader.ts'

const reader = createJsonReader()
afterAll(() => reader.close())
const options = { address: 'https://service.example', packNumbers: true }
const bytesOf = (text: string) => new TextEncoder().encode(text)
const { signal } = new AbortController()
/** Enough to be read in a thread. */
const filler = `"${'x'.repeat(1_100_000)}"`

describe.each([
  ['small', '""'],
  ['large', filler],
])('a %s body', (_, fill) => {
  test('is JSON, with lists of numbers packed and NaN as missing', async () => {
    const text = `{"fill":${fill},"rows":[[1,NaN],[null,-Infinity]],"mixed":[1,"NaN"],"none":[],"deep":{"list":[1e999]}}`
    expect(await reader.read(bytesOf(text), options, signal)).toMatchObject({
      rows: [Float64Array.of(1, NaN), Float64Array.of(NaN, NaN)],
      mixed: [1, 'NaN'],
      none: [],
      deep: { list: Float64Array.of(NaN) },
    })
  })

  test('stays plain JSON where packing is not asked for', async () => {
    const read = await reader.read(bytesOf(`[${fill},[1,null]]`), { ...options, packNumbers: false }, signal)
    expect((read as unknown[])[1]).toEqual([1, null])
  })

  test('that is no JSON says how it begins', async () => {
    await expect(reader.read(bytesOf(`oops ${fill}`), options, signal)).rejects.toMatchObject({
      code: 'bad-answer',
      detail: expect.stringContaining('GET https://service.example: not JSON, it begins with “oops'),
    })
  })
})

test('nobody waits for a large body that is not wanted any more', async () => {
  const controller = new AbortController()
  const reading = reader.read(bytesOf(filler), options, controller.signal)
  controller.abort()
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
})
