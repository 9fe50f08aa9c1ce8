import { expect, test } from 'vitest'
import { judgeLink, presign } from '../../../electron/sandbox/access/links.ts'
import { symbolSegment } from '../../../electron/sandbox/access/symbolSegment.ts'
import { documentedVenue, documentedVenues } from '../../../electron/sandbox/market/venues.ts'
import { instrumentsOf } from '../../../electron/sandbox/market/instruments.ts'
import { parseStoragePath, storagePath } from '../../../electron/sandbox/files/storagePath.ts'

const secret = new Uint8Array(32).fill(7)
const nowMs = Date.parse('2026-09-15T12:00:00Z')
const path = '/metrics/flow.exchange/venuea-futures/1m/X/2026-09-01.parquet'
const query = () => new URLSearchParams(presign(secret, path, nowMs, 300))

test('a link is valid for 300 seconds and not one more', () => {
  expect(judgeLink(secret, path, query(), nowMs)).toBe('valid')
  expect(judgeLink(secret, path, query(), nowMs + 299_999)).toBe('valid')
  expect(judgeLink(secret, path, query(), nowMs + 300_000)).toBe('expired')
})

test('a link is good for its own path only', () => {
  expect(judgeLink(secret, path.replace('flow', 'range'), query(), nowMs)).toBe('foreign')
})

test.each(['X-Link-Date', 'X-Link-Expires', 'X-Link-Signature'])('changing or leaving out %s spoils a link', (name) => {
  const changed = query()
  changed.set(name, `${changed.get(name)}0`)
  expect(judgeLink(secret, path, changed, nowMs)).toBe('foreign')
  const without = query()
  without.delete(name)
  expect(judgeLink(secret, path, without, nowMs)).toBe('foreign')
})

test('another secret signs other links', () => {
  expect(judgeLink(new Uint8Array(32), path, query(), nowMs)).toBe('foreign')
})

test.each(documentedVenues)('every symbol of $id has a segment of its own that needs no escaping', (venue) => {
  const symbols = instrumentsOf(1, venue).map(({ symbol }) => symbol)
  const segments = symbols.map(symbolSegment)
  expect(new Set(segments).size).toBe(symbols.length)
  for (const segment of segments) expect(segment).toMatch(/^\w+$/)
})

test('a storage path says again what it was made of', () => {
  const name = {
    kind: 'metrics',
    dataset: 'flow',
    timestamp: 'true',
    interval: '15s',
    venue: documentedVenue('venuea-futures'),
    symbol:
      instrumentsOf(1, documentedVenue('venuea-futures')).find(({ base }) => base === '龙' || base.includes('-'))
        ?.symbol ?? '',
    period: '2026-09-01',
  } as const
  expect(parseStoragePath(1, documentedVenues, storagePath(name))).toEqual(name)
  expect(parseStoragePath(1, documentedVenues, storagePath(name).replace('2026-09-01', '2026-09-31'))).toBeNull()
  expect(
    parseStoragePath(1, documentedVenues, '/metrics/flow.true/venuea-futures/1m/NOBODY/2026-09-01.parquet'),
  ).toBeNull()
})
