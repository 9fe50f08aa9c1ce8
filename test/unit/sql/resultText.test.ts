import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timeText } from '#shared/sql/resultText.ts'

const timestamp = { type: 'TIMESTAMP' }

describe('the text of a time', () => {
  it('is that of ISO 8601 with microseconds, in any order of times', () => {
    const anyMs = fc.integer({ min: -62_198_755_200_000, max: 253_433_923_200_000 })
    fc.assert(
      fc.property(anyMs, fc.integer({ min: 0, max: 3 }), (ms, quarters) => {
        const iso = new Date(ms).toISOString()
        expect(timeText(timestamp, ms + quarters / 4)).toBe(
          `${iso.slice(0, -1)}${String(quarters * 250).padStart(3, '0')}Z`,
        )
        expect(timeText({ type: 'DATE' }, ms)).toBe(iso.slice(0, -14))
      }),
      { numRuns: 2000 },
    )
  })

  it('carries microseconds that round up to a whole millisecond', () => {
    expect(timeText(timestamp, Date.UTC(2026, 0, 31, 23, 59, 59, 999) + 0.9999)).toBe('2026-02-01T00:00:00.000000Z')
  })
})
