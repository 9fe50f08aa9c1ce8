import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { createJsonMeter } from '#core/clients/jsonLimits.ts'
import { createJsonReader } from '#core/clients/jsonReader.ts'
import { parseJson } from '#core/clients/parseResponse.ts'
import { packedJson } from '../../fakes/packedJson.ts'
import { cpuMsOf } from '../../fakes/cpuTime.ts'

const reader = createJsonReader()
afterAll(() => reader.close())
const address = 'https://service.example'
const bytesOf = (text: string) => new TextEncoder().encode(text)
const { signal } = new AbortController()
/** Text that is long enough for a body to be read in a guarded process. */
const filler = `"${'x'.repeat(1_100_000)}"`

describe.each([
  ['small', '""'],
  ['large', filler],
])('a %s body', (_, fill) => {
  test('is JSON, with NaN as missing', async () => {
    const read = await reader.read(bytesOf(`[${fill},[1,NaN]]`), address, signal)
    expect((read as unknown[])[1]).toEqual([1, null])
  })

  test('that is no JSON is refused', async () => {
    await expect(reader.read(bytesOf(`oops ${fill}`), address, signal)).rejects.toMatchObject({
      code: 'bad-answer',
      detail: 'GET https://service.example: not JSON',
    })
  })
})

test('nobody waits for a large body that is not wanted any more', async () => {
  const controller = new AbortController()
  const reading = reader.read(bytesOf(filler), address, controller.signal)
  controller.abort()
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
})

test.each([
  ['forever', 'takes too long'],
  ['memory', 'takes too much memory'],
  ['abort', 'crashed the reader process'],
])('a large body whose parsing ends as “%s” is refused, and the next one is read', async (word, message) => {
  const entry = new URL('../../fakes/misbehavingJson.ts', import.meta.url)
  const limitsOf = () => ({ cpuMs: 700, wallMs: 60_000, memoryBytes: 400 * 2 ** 20 })
  const guarded = createJsonReader({ entry, limitsOf })
  onTestFinished(() => guarded.close())
  const body = (text: string) => bytesOf(`["${text}",${filler}]`)
  const reading = guarded.read(body(word), address, signal)
  await expect(reading).rejects.toMatchObject({ code: 'too-large', detail: expect.stringContaining(message) })
  expect(((await guarded.read(body('whole'), address, signal)) as string[])[0]).toBe('whole')
})

describe('a body whose lists of numbers are packed while it arrives', () => {
  const text =
    '{"rows":[[1,NaN],[ null , -Infinity ]],"mixed":[1,"NaN"],"none":[[ ]],"deep":{"list":[1e999]},"text":"a[1]\\"[2]","one":[7],"é":[[1,[2]]]}'
  const longList = Array.from({ length: 20_000 }, (_, at) => at / 8)

  test.each([1, 3, 7, 1000])('in chunks of %i bytes', (chunkBytes) => {
    expect(packedJson(bytesOf(text), address, chunkBytes)).toEqual({
      rows: [Float64Array.of(1, NaN), Float64Array.of(NaN, NaN)],
      mixed: [1, 'NaN'],
      none: [[]],
      deep: { list: Float64Array.of(NaN) },
      text: 'a[1]"[2]',
      one: Float64Array.of(7),
      é: [[1, Float64Array.of(2)]],
    })
    const long = bytesOf(JSON.stringify({ list: longList, also: [...longList, 'end'] }))
    expect(packedJson(long, address, 997 * chunkBytes)).toEqual({
      list: Float64Array.from(longList),
      also: [...longList, 'end'],
    })
  })

  test.each(['[1,2', '[1,,2]', '[1,]', '[01]', '[1 2]', '[nul]', '[+1]', '[1]]', `[${'1,'.repeat(50_000)},1]`])(
    '%s is refused',
    (body) => {
      for (const chunkBytes of [1, 1000])
        expect(() => packedJson(bytesOf(body), address, chunkBytes)).toThrow('not JSON')
    },
  )
})

describe('a body that is made to take long', () => {
  test.each([
    ['escaped quotes', '\\"'.repeat(450_000)],
    ['an open text with NaN', `[NaN,"${'\\"'.repeat(450_000)}`],
    ['quotes', '"'.repeat(900_001)],
    ['minus signs', '-'.repeat(900_000)],
    ['NaN', `[${'NaN,'.repeat(225_000)}`],
  ])('%s: is refused in time proportional to its size', (_what, text) => {
    const parse = () => expect(() => parseJson(text, 'a')).toThrow('not JSON')
    expect(cpuMsOf(parse)).toBeLessThan(2000)
  })
})

describe('the meter of JSON', () => {
  const limits = { depth: 3, containers: 5, strings: 4, values: 10 }
  const meter =
    (text: string, chunk = text.length) =>
    () => {
      const metered = createJsonMeter('https://service.example', limits)
      const bytes = bytesOf(text)
      for (let at = 0; at < bytes.length; at += chunk) metered.add(bytes.subarray(at, at + chunk))
    }
  test.each([
    ['[[[]]]', null],
    ['[[[[', 'more than 3 levels'],
    ['{"a":{"b":{"c":{', 'more than 3 levels'],
    ['[[],[],[],[],[]]', 'more than 5 objects and lists'],
    ['["","","","",""]', 'more than 4 strings'],
    ['[1,2,3,4,5,6,7,8,9,10]', 'more than 10 values'],
    ['["[[[[{{{{,,,,,,,,,,,,\\"[[[["]', null],
  ])('%s: %s', (text, message) => {
    for (const chunk of [1, 3, 1000]) {
      if (message === null) expect(meter(text, chunk)).not.toThrow()
      else expect(meter(text, chunk)).toThrow(message)
    }
  })

  test('lets the longest honest documents pass', () => {
    const metered = createJsonMeter('a')
    const row = bytesOf(`[${'1.23456,'.repeat(999)}1],`)
    metered.add(bytesOf('{"data":['))
    for (let day = 0; day < 5000; day++) metered.add(row)
    const coverage = createJsonMeter('a')
    const symbol = bytesOf('"BTC-USDT":{"first":"2020-01-01","last":"2026-01-01","days":2000},')
    for (let count = 0; count < 500_000; count++) coverage.add(symbol)
  })
})
