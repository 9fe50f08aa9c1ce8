import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '#shared/contract/errors.ts'
import { createRedactor, redactAddress, redactPatterns } from '#core/clients/redact.ts'
import { cpuMsOf } from '../../fakes/cpuTime.ts'

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

test('an error keeps its code and field, and loses its secrets, in our words and the service’s', () => {
  const redactor = createRedactor()
  redactor.hide('CANARY-1234')
  const error = redactor.error(
    new AppError('service', 'with CANARY-1234', {
      service: { message: 'CANARY-1234!', status: 500, requestId: 'r' },
      field: 'source.symbols',
    }),
  )
  expect(error.toShape()).toMatchObject({
    code: 'service',
    service: { status: 500, requestId: 'r' },
    field: 'source.symbols',
  })
  expect(JSON.stringify(error.toShape()) + error.message).not.toContain('CANARY')
})

describe('a key in disguise', () => {
  const key = 'CANARY-key-0123456789-abcdef'
  const redactor = createRedactor()
  redactor.hide(key)
  const each = (form: (character: string) => string) => [...key].map(form).join('')
  const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0')
  const basic = (text: string) => Buffer.from(text).toString('base64')

  test.each([
    ['plain', key],
    ['in lower case', key.toLowerCase()],
    ['in upper case', key.toUpperCase()],
    ['percent-encoded', each((character) => `%${hex(character)}`)],
    ['percent-encoded in part', key.replace('A', '%41')],
    ['as decimal entities', each((character) => `&#${character.charCodeAt(0)};`)],
    ['as hexadecimal entities', each((character) => `&#x${hex(character)};`)],
    ['as one entity', key.replace('N', '&#78;')],
    ['as JSON escapes', each((character) => `\\u00${hex(character)}`)],
    ['as one JSON escape', key.replace('R', '\\u0052')],
    ['as hexadecimal digits', each(hex)],
    ['as hexadecimal digits with colons', each((character) => `${hex(character)}:`)],
    ['as Base64', basic(key)],
    ['as Base64 behind one character', basic(`x${key}`)],
    ['as Base64 behind two characters', basic(`xx${key}`)],
    ['as Base64 of a user and a password', basic(`a:${key}@b`)],
    ['as Base64 for addresses', Buffer.from(key).toString('base64url')],
    ['with blanks', [...key].join(' ')],
    ['with hyphens', [...key].join('-')],
    ['in lines', `${key.slice(0, 9)}\n${key.slice(9)}`],
    ['with zero-width characters', [...key].join('\u200b')],
    ['with soft hyphens', [...key].join('\u00ad')],
    ['with word joiners and marks of direction', [...key].join('\u2060\u202e')],
    ['with control characters', [...key].join('\u0007')],
    ['in full width', each((character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0))],
    ['in bold letters', key.replace('CANARY', '𝐂𝐀𝐍𝐀𝐑𝐘')],
  ])('%s: is taken out', (_how, written) => {
    const shown = redactor.text(`before ${written} after`)
    expect(shown).toMatch(/^before .*\[hidden\].* after$/)
    const left = shown.replace('before ', '').replace(' after', '').replaceAll('[hidden]', '')
    expect(left.length).toBeLessThan(10)
    expect(redactor.contains(`{"a":"${written}"}`)).toBe(true)
    expect(redactor.value({ [written]: [written] })).not.toHaveProperty([written])
  })

  test('half a key at the end of what was read is dropped', () => {
    const body = Buffer.from(`${' '.repeat(5000)}${key.slice(0, 20)}`)
    expect(redactor.startOf(body, true)).not.toContain('CANARY')
    expect(redactor.startOf(Buffer.from('a message'), false)).toBe('a message')
  })

  test('is found across the slices of a large body', async () => {
    for (const at of [0, 512 * 1024 - 10, 512 * 1024 - 1, 700_000]) {
      const body = Buffer.alloc(1_500_000, 'x ')
      body.write([...key].join('\u200b'), at)
      expect(await redactor.containsIn(body)).toBe(true)
    }
    expect(await redactor.containsIn(Buffer.alloc(1_500_000, 'x '))).toBe(false)
  })

  test('a short key is not found by chance across words', () => {
    const short = createRedactor()
    short.hide('sandbox-tier-3')
    const harmless = 'Sandbox, tier 3: a sand box; tier three'
    expect(short.text(harmless)).toBe(harmless)
    expect(short.text('Sandbox-Tier-3')).toBe('[hidden]')
  })

  test.each([
    ['letters', 'a'.repeat(300_000)],
    ['letters and points', 'a.'.repeat(150_000)],
    ['addresses', 'a://'.repeat(75_000)],
    ['headers', 'x-amz-'.repeat(50_000)],
    ['ampersands', '&#'.repeat(150_000)],
    ['backslashes', '\\'.repeat(300_000)],
    ['percent signs', '%'.repeat(300_000)],
  ])('%s: take time proportional to their number', (_what, text) => {
    expect(cpuMsOf(() => void redactor.text(text))).toBeLessThan(2000)
  })
})
