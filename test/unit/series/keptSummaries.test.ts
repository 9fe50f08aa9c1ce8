import { describe, expect, it } from 'vitest'
import type { SummaryColumn } from '#core/series/readerTask.ts'
import { createSummaryCache } from '#core/series/summaries.ts'

const summary = (value: number): SummaryColumn => ({
  grid: { startMs: 0, bucketMs: 1000, buckets: 1 },
  parts: new Float64Array(11).fill(value),
})
const BYTES = 88

describe('kept summaries', () => {
  it('answer for a file, a clock and columns only when all of them are there', () => {
    const kept = createSummaryCache()
    kept.keep('a', 'exchange', ['v', 'w'], [summary(1), summary(2)])
    expect(kept.find('a', 'exchange', ['w', 'v'])?.map(({ parts }) => parts[0])).toEqual([2, 1])
    expect(kept.find('a', 'exchange', ['v', 'x'])).toBeNull()
    expect(kept.find('a', 'true', ['v'])).toBeNull()
    expect(kept.find('b', 'exchange', ['v'])).toBeNull()
  })

  it('stay within their memory: what was used longest ago goes, what is kept again counts once', () => {
    const kept = createSummaryCache(3 * BYTES)
    for (const name of ['a', 'b', 'c']) kept.keep(name, 'exchange', ['v'], [summary(0)])
    kept.keep('b', 'exchange', ['v'], [summary(9)])
    kept.find('a', 'exchange', ['v'])
    kept.keep('d', 'exchange', ['v'], [summary(0)])
    expect(['a', 'b', 'c', 'd'].filter((name) => kept.find(name, 'exchange', ['v']))).toEqual(['a', 'b', 'd'])
  })
})
