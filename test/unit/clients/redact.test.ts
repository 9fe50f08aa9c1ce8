import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import { createRedactor, redactAddress, redactPatterns } from '#core/clients/redact.ts'

describe('addresses', () => {
  test.each([
    [
      'https://m.example/api/v1/data/flow?symbol=A&interval=1h',
      'https://m.example/api/v1/data/flow?symbol=A&interval=1h',
    ],
    ['https://files.example/a.parquet?X-Amz-Signature=s&X-Amz-Expires=300', 'https://files.example/a.parquet?…'],
    ['https://files.example/a.parquet?symbol=A&sig=s', 'https://files.example/a.parquet?…'],
    ['https://me:word@m.example/x', 'https://…@m.example/x'],
    ['http://127.0.0.1:8080/#token=abc', 'http://127.0.0.1:8080/'],
    ['https://m.example', 'https://m.example'],
    ['https://m.example?token=t', 'https://m.example?…'],
  ])('%s', (address, shown) => {
    expect(redactAddress(address)).toBe(shown)
  })
})

describe('text', () => {
  test.each([
    'X-API-KEY: CANARY-1234',
    '{"x-api-key":"CANARY-1234"}',
    'x-api-key=CANARY-1234, next',
    'Authorization: Bearer CANARY-1234',
    'failed at https://h.example/f?Signature=CANARY-1234&Expires=1 again',
    '(https://CANARY-1234:word@h.example/f)',
    'opened #token=CANARY-1234',
    'no such page: /file?X-Amz-Credential=CANARY-1234&X-Amz-Signature=CANARY-1234',
    'at "wss://127.0.0.1:1/socket?token=CANARY-1234"',
  ])('%s', (text) => {
    expect(redactPatterns(text)).not.toContain('CANARY')
  })

  test('harmless text stays as it is', () => {
    const text = 'GET https://m.example/api/v1/data/flow?symbol=perpetual-龙-USDT:USDT took 12 ms; #/workbench?pane=1'
    expect(redactPatterns(text)).toBe(text)
  })
})

test('what follows an address stays', () => {
  expect(redactPatterns('GET https://f.example/x?sig=1: status 403, (see https://m.example/a).')).toBe(
    'GET https://f.example/x?…: status 403, (see https://m.example/a).',
  )
})

test('a hidden value is found in nothing that passed, however it was written', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\x21-\x7e]{8,40}$/), fc.string(), fc.string(), (secret, before, after) => {
      const redactor = createRedactor()
      redactor.hide(secret)
      for (const written of [secret, encodeURIComponent(secret), JSON.stringify(secret)]) {
        expect(redactor.text(`${before} ${written} ${after}`)).not.toContain(secret)
      }
    }),
  )
})

test('an error keeps its code and loses its secrets, in our words and the service’s', () => {
  const redactor = createRedactor()
  redactor.hide('CANARY-1234')
  const error = redactor.error(
    new AppError('service', 'with CANARY-1234', { service: { message: 'CANARY-1234!', status: 500, requestId: 'r' } }),
  )
  expect(error.toShape()).toMatchObject({ code: 'service', service: { status: 500, requestId: 'r' } })
  expect(JSON.stringify(error.toShape()) + error.message).not.toContain('CANARY')
})
