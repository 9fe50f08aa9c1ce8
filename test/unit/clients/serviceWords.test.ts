import { expect, test } from 'vitest'
import { z } from 'zod'
import { type RequestError, serviceReply } from '#core/clients/httpErrors.ts'
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
  ['{"description":"tier 3 needed","details":{"x":1}}', 'tier 3 needed'],
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
  expect(serviceReply(body)).toBe(message)
})

test('a long story is cut', () => {
  expect(serviceReply('x'.repeat(10_000))).toHaveLength(401)
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
