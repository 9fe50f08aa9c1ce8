import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatBytes, formatRate } from '#shared/units/bytes.ts'
import { formatDuration, formatStep } from '#shared/units/durations.ts'

const plain = (text: string) => text.replaceAll('\u00a0', ' ')

describe('bytes', () => {
  it.each([
    [0, '0 B'],
    [812, '812 B'],
    [999, '999 B'],
    [1000, '1.00 kB'],
    [9994, '9.99 kB'],
    [9996, '10.0 kB'],
    [999_499, '999 kB'],
    [999_500, '1.00 MB'],
    [45_600_000_000, '45.6 GB'],
    [-1500, '\u22121.50 kB'],
    [2e18, '2\u202f000 PB'],
  ])('%i reads %s', (size, text) => {
    expect(plain(formatBytes(size))).toBe(text)
  })

  it('says a rate by the second', () => {
    expect(plain(formatRate(1_230_000))).toBe('1.23 MB/s')
  })
})

describe('durations', () => {
  it.each([
    [0, '0 ms'],
    [0.25, '0.250 ms'],
    [840, '840 ms'],
    [999.6, '1.0 s'],
    [12_340, '12.3 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min 00 s'],
    [245_000, '4 min 05 s'],
    [3_599_600, '1 h 00 min'],
    [11_520_000, '3 h 12 min'],
    [86_399_000, '1 d 0 h'],
    [446_400_000, '5 d 4 h'],
    [-840, '\u2212840 ms'],
    [Infinity, 'infinity'],
  ])('%s ms reads %s', (duration, text) => {
    expect(formatDuration(duration)).toBe(text)
  })

  it.each([
    [250, '250 ms'],
    [15_000, '15 s'],
    [300_000, '5 min'],
    [5_400_000, '90 min'],
    [3_600_000, '1 h'],
    [86_400_000, '1 d'],
  ])('%s ms between rows reads %s', (step, text) => {
    expect(plain(formatStep(step))).toBe(text)
  })

  it('never says 60 of a unit, whatever the length', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e11, noNaN: true }), (duration) => {
        expect(formatDuration(duration)).not.toMatch(/\b60(\.0)? (s|min)\b|\b24 h\b/)
      }),
    )
  })
})
