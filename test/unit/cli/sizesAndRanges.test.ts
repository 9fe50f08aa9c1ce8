import { describe, expect, it } from 'vitest'
import { parseSize, formatBytes } from '../../../electron/cli/sizes.ts'
import { parseDayRange, parseTimeRange } from '../../../electron/cli/timeRange.ts'

describe('sizes', () => {
  it.each([
    ['0', 0],
    ['1000', 1000],
    ['500MB', 5e8],
    ['20GB', 2e10],
    ['1.5TiB', 1.5 * 2 ** 40],
    ['2 kib', 2048],
    ['10b', 10],
  ])('%s', (text, bytes) => expect(parseSize('max-size', text)).toBe(bytes))
  it.each(['', 'GB', '-5MB', '5XB', '1e9', '5 M B', '1.2.3GB', 'NaN', '０GB'])('“%s” is none', (text) =>
    expect(() => parseSize('max-size', text)).toThrow(/--max-size must be a size/),
  )
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1234, '1.2 kB'],
    [123_456_789, '123 MB'],
    [2.5e15, '2500 TB'],
  ])('%d in words', (bytes, text) => expect(formatBytes(bytes)).toBe(text))
})

describe('ranges', () => {
  const ms = (text: string) => Date.parse(text)
  it.each([
    ['2026-09-01', '2026-09-01', '2026-09-01T00:00:00Z', '2026-09-02T00:00:00Z'],
    ['2026-09-01T10:00', '2026-09-01T11:00:00.500Z', '2026-09-01T10:00:00Z', '2026-09-01T11:00:00.500Z'],
    ['2026-09-01 10:00', '2026-09-01', '2026-09-01T10:00:00Z', '2026-09-02T00:00:00Z'],
    ['2026-09-01T10:00+02:00', '2026-09-01T09:00Z', '2026-09-01T08:00:00Z', '2026-09-01T09:00:00Z'],
  ])('%s to %s', (start, end, startMs, endMs) =>
    expect(parseTimeRange(start, end)).toEqual({ startMs: ms(startMs), endMs: ms(endMs) }),
  )
  it('of days that are all beyond any data is still a range', () => {
    for (const [start, end] of [
      ['0001-01-01', '0001-02-01'],
      ['9000-01-01', '9999-12-31'],
    ]) {
      const { startMs, endMs } = parseTimeRange(start, end)
      expect(endMs).toBeGreaterThan(startMs)
    }
  })
  it('takes a day beyond all data for its edge', () =>
    expect(parseTimeRange('0001-01-01', '9999-12-31')).toEqual({
      startMs: ms('1900-01-01T00:00Z'),
      endMs: ms('2200-01-01T00:00Z'),
    }))
  it.each([
    ['2026-09-01T10:00Z', '2026-09-01T10:00Z'],
    ['2026-09-02', '2026-09-01'],
    ['2026-02-30', '2026-09-01'],
    ['2026-02-30T00:00', '2026-09-01'],
    ['yesterday', '2026-09-01'],
    ['2026-09-01', '2026-09-01T25:00'],
  ])('%s to %s is none', (start, end) => expect(() => parseTimeRange(start, end)).toThrow(/--(start|end) must be/))

  it('of days may be open on either side', () => {
    expect(parseDayRange(undefined, '1970-01-02')).toEqual({ startDay: undefined, endDay: 2 })
    expect(parseDayRange('1970-01-02', undefined)).toEqual({ startDay: 1, endDay: undefined })
    expect(parseDayRange('0000-01-01', '9999-12-31')).toEqual({ startDay: -200_000, endDay: 200_000 })
    expect(() => parseDayRange('1970-01-02', '1970-01-01')).toThrow(/--end must not be before/)
    expect(() => parseDayRange('1970-01-02T00:00', undefined)).toThrow(/--start must be a day/)
  })
})
