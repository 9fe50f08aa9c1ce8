import { execFileSync } from 'node:child_process'
import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { encodeSummary, readSummary } from '#core/series/fileSummary.ts'
import type { SummaryColumn } from '#core/series/readerTask.ts'
import { createSummaryCache } from '#core/series/summaries.ts'
import { ColumnBins } from '#shared/overview/bins.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const summary = (value: number): SummaryColumn => ({
  grid: { startMs: 0, binMs: 1000, bins: 1 },
  arrays: new Float64Array(11).fill(value),
})
const BYTES = 88

describe('kept summaries', () => {
  it('answer for a file, a clock and columns only when all of them are there', () => {
    const kept = createSummaryCache()
    kept.keep('a', 'exchange', ['v', 'w'], [summary(1), summary(2)])
    expect(kept.find('a', 'exchange', ['w', 'v'])?.map(({ arrays }) => arrays[0])).toEqual([2, 1])
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

describe('the file of a summary', () => {
  const grid = { startMs: 0, binMs: 1000, bins: 2 }
  const storedGrid = { startMs: 0, bucketMs: 1000, buckets: 2 }
  const whole = () => encodeSummary(grid, [{ name: 'v', bins: new ColumnBins(grid) }])
  /** Writes a summary with other fields in its head, followed by `sizeBytes` bytes. */
  function poisoned(head: object, sizeBytes: number): string {
    const path = join(temporaryFolder(), 'summary')
    const json = Buffer.from(JSON.stringify({ version: 1, ...storedGrid, columns: ['v'], ...head }))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(json.length)
    writeFileSync(path, Buffer.concat([length, json]))
    truncateSync(path, Math.ceil((4 + json.length) / 8) * 8 + sizeBytes)
    return path
  }

  it('is read as it was written', () => {
    const path = join(temporaryFolder(), 'summary')
    writeFileSync(path, whole())
    expect(readSummary(path, ['v'])).toMatchObject([{ grid }])
    expect(readSummary(poisoned({}, 2 * BYTES), ['v'])).toMatchObject([{ grid }])
  })

  it.each([
    ['a bin of no width', { bucketMs: 0 }, 2 * BYTES],
    ['a bin of negative width', { bucketMs: -1 }, 2 * BYTES],
    ['a width that is text', { bucketMs: 'x' }, 2 * BYTES],
    ['no start', { startMs: null }, 2 * BYTES],
    ['more bins than any file has', { buckets: 40_000_000 }, 40_000_000 * BYTES],
    ['a negative number of bins', { buckets: -2 }, 0],
    ['half a bin', { buckets: 0.5 }, BYTES / 2],
  ])('counts as none with %s', (_what, head, sizeBytes) => {
    expect(readSummary(poisoned(head, sizeBytes), ['v'])).toBeNull()
  })

  it.skipIf(process.platform === 'win32')('counts as none where it is a pipe', () => {
    const path = join(temporaryFolder(), 'summary')
    execFileSync('mkfifo', [path])
    expect(readSummary(path, ['v'])).toBeNull()
  })
})
