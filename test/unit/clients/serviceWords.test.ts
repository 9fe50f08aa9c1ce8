import { expect, test } from 'vitest'
import { z } from 'zod'
import { RequestError, replyOfBody, withRetries } from '#core/clients/httpErrors.ts'
import { parseResponse } from '#core/clients/parseResponse.ts'

test.each([
  ['', null],
  ['   \n', null],
  ['{}', null],
  ['[]', null],
  ['null', null],
  ['{"error":"no such symbol"}', 'no such symbol'],
  ['{"message":"slow down","code":"RATE"}', 'slow down (RATE)'],
  ['{"detail":"not found"}', 'not found'],
  ['{"detail":[{"loc":["query","size"],"msg":"must be 20, 30 or 40"}]}', 'query.size: must be 20, 30 or 40'],
  ['{"description":"tier 3 needed","details":{"x":1}}', 'tier 3 needed: x: 1'],
  ['{"error":{"message":"nested","code":7}}', 'nested (7)'],
  ['{"error":"same","message":"same"}', 'same'],
  ['<html><head><title>502 Bad Gateway</title></head><body>x</body></html>', '502 Bad Gateway'],
  ['<p>Please <b>wait</b></p><script>alert(1)</script>', 'Please wait'],
  [
    '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
    'Request has expired (AccessDenied)',
  ],
  ['plain\n  words', 'plain words'],
])('%j says %j', (body, message) => {
  expect(replyOfBody(body)).toBe(message)
})

test('a long story is cut', () => {
  expect(replyOfBody('x'.repeat(10_000))).toHaveLength(2001)
})

test.each([
  ['an error', { error: { code: 'no_data', message: 'No files in this range' } }, 'No files in this range (no_data)'],
  ['a text', { error: 'Maintenance until 12:00' }, 'Maintenance until 12:00'],
  ['nothing', { error: null }, undefined],
  ['another document', { message: 'hello' }, undefined],
])('%s with a status of success is quoted beside what is missing', (_, document, message) => {
  const read = () => parseResponse(z.object({ files: z.array(z.string()) }), document)
  expect(read).toThrow('files: is missing')
  try {
    read()
  } catch (thrown) {
    expect((thrown as RequestError).service?.message).toBe(message)
  }
})

test.each([
  [
    { error: 'Bad venue', details: ['venuex is unknown', 'one of: a, b'] },
    'Bad venue: venuex is unknown; one of: a, b',
  ],
  [{ message: 'Invalid', details: [{ loc: ['query', 'symbol'], msg: 'required' }] }, 'Invalid: query.symbol: required'],
  [{ error: 'No', details: { exchange: 'unknown', limits: [1, 2] } }, 'No: exchange: unknown; limits: [1,2]'],
  [
    { error: 'Not in your plan', code: 'raw_not_in_plan', upgrade_url: 'https://a.example/plans' },
    'Not in your plan (raw_not_in_plan) Plans: https://a.example/plans',
  ],
  [
    { error: { message: 'Not in your plan', upgrade_url: 'https://a.example/plans' }, status: 'refused' },
    'Not in your plan Plans: https://a.example/plans',
  ],
  [
    { upgrade_url: 'https://a.example/plans', error: 'x'.repeat(3000) },
    `${'x'.repeat(2000)}… Plans: https://a.example/plans`,
  ],
  [{ upgrade_url: 'https://a.example' }, 'Plans: https://a.example/'],
  [{ error: 'No', upgrade_url: 'javascript:alert(1)' }, 'No'],
  [{ error: 'No', upgrade_url: 'https://a.example/plans?from=app#raw' }, 'No Plans: https://a.example/plans'],
])('the reply %j with details reads %s', (body, text) => {
  expect(replyOfBody(JSON.stringify(body))).toBe(text)
})

test('a listing that fails inside the service is asked for again, a refused one is not', async () => {
  const waits: number[] = []
  const wait = (ms: number) => Promise.resolve(waits.push(ms))
  const failing = (failures: Error[]) => () => {
    const failure = failures.shift()
    return failure ? Promise.reject(failure) : Promise.resolve('listed')
  }
  const signal = new AbortController().signal
  const down = () => new RequestError('service', 'GET: 503', { retryAfterMs: 20 })
  expect(await withRetries(failing([down(), down()]), signal, wait)).toBe('listed')
  expect(waits).toEqual([20, 20])
  await expect(withRetries(failing([down(), down(), down()]), signal, wait)).rejects.toMatchObject({ code: 'service' })
  await expect(withRetries(failing([new RequestError('rejected', 'GET: 400')]), signal, wait)).rejects.toThrow('400')
  expect(waits).toHaveLength(4)
})
