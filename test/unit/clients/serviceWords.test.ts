import { expect, test } from 'vitest'
import { serviceReply } from '#core/clients/httpErrors.ts'

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
