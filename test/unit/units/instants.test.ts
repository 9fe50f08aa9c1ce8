import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clockTime,
  exactTime,
  formatTime,
  precisionOf,
  wholeTime,
  zonedTime,
  zoneName,
  type TimePrecision,
} from '#shared/units/instants.ts'

const noon = Date.UTC(2026, 7, 1, 12, 34, 56, 789)

describe('instants', () => {
  it.each<[TimePrecision, string]>([
    ['day', '2026-08-01'],
    ['minute', '2026-08-01 12:34'],
    ['second', '2026-08-01 12:34:56'],
    ['ms', '2026-08-01 12:34:56.789'],
    ['us', '2026-08-01 12:34:56.789250'],
  ])('to the %s', (precision, text) => {
    expect(formatTime(noon + 0.25, 'utc', precision)).toBe(text)
  })

  it('keeps every microsecond that the frame can hold', () => {
    const first = Date.UTC(2000, 0, 1) * 1000
    fc.assert(
      fc.property(fc.integer({ min: first, max: Date.UTC(2099, 11, 31) * 1000 }), (micros) => {
        const text = exactTime(micros / 1000, 'utc')
        const [, seconds, fraction] = /^(.*)\.(\d{3,6})Z$/.exec(text) ?? []
        expect(Date.parse(`${seconds}Z`) * 1000 + Number(fraction.padEnd(6, '0'))).toBe(micros)
      }),
    )
  })

  it('writes the local zone with its offset, the same instant', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (time) => {
        expect(Date.parse(exactTime(time, 'local'))).toBe(time)
        expect(formatTime(time, 'local', 'ms')).toBe(exactTime(time, 'local').slice(0, 23).replace('T', ' '))
      }),
    )
  })

  it('adds the zone where no header names it', () => {
    expect(zonedTime(noon, 'utc')).toBe('2026-08-01 12:34 UTC')
    expect(zonedTime(noon, 'utc', 'second')).toBe('2026-08-01 12:34:56 UTC')
    expect(clockTime(noon, 'utc')).toBe('12:34:56')
  })

  it.each<[number, number | undefined, string]>([
    [noon + 0.25, undefined, '2026-08-01 12:34:56.789250 UTC'],
    [Date.UTC(2026, 7, 1), undefined, '2026-08-01 00:00 UTC'],
    [Date.UTC(2026, 7, 1), 15_000, '2026-08-01 00:00:00 UTC'],
    [Date.UTC(2026, 7, 1), 86_400_000, '2026-08-01'],
    [NaN, undefined, 'not a time'],
  ])('cuts nothing off %d beside rows of %d ms', (timeMs, stepMs, text) => {
    expect(wholeTime(timeMs, 'utc', stepMs)).toBe(text)
  })

  it('writes the offset of the local zone', () => {
    const [, day, clock, offset] = /^(\S+) (\S+) UTC([+-]\d\d:\d\d)$/.exec(wholeTime(noon, 'local', 86_400_000))!
    expect(Date.parse(`${day}T${clock}${offset}`)).toBe(noon)
  })

  it('says what is not a time', () => {
    expect([NaN, Infinity, 9e15].map((time) => formatTime(time, 'utc', 'ms'))).toEqual(Array(3).fill('not a time'))
  })

  it('names its zone', () => {
    expect(zoneName('utc')).toBe('UTC')
    expect(zoneName('local')).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone)
  })

  it.each<[(number | null)[], TimePrecision]>([
    [[], 'day'],
    [[0, 86_400_000, null], 'day'],
    [[0, 3_600_000], 'minute'],
    [[1000, 3_600_000], 'second'],
    [[1000, 1001], 'ms'],
    [[1001, 1000, 0], 'ms'],
    [[0.5], 'us'],
  ])('needs for %j the %s', (times, precision) => {
    expect(precisionOf(times)).toBe(precision)
  })
})
