import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dealShards, shardsAtOnce, startLimited } from '../../../scripts/test/shards.mjs'

describe('shards of the end-to-end files', () => {
  it('run one after the other on a single core, and a few fewer than there are cores on more', () => {
    expect([1, 2, 3, 4, 6, 8].map(shardsAtOnce)).toEqual([1, 2, 2, 3, 5, 6])
  })

  it('contain every file once and are of about the same weight', () => {
    const items = [9, 7, 6, 5, 4, 3, 2, 2, 1, 1].map((weight, index) => ({ name: `file${index}`, weight }))
    const shards = dealShards(items, 3)
    expect(shards.flat().toSorted()).toEqual(items.map(({ name }) => name).toSorted())
    const weights = shards.map((names) => names.reduce((sum, name) => sum + items[Number(name.slice(4))].weight, 0))
    expect(Math.max(...weights) - Math.min(...weights)).toBeLessThanOrEqual(1)
  })

  it('are the same for the same files, in whatever order the folder lists them', () => {
    const items = ['a', 'b', 'c', 'd'].map((name) => ({ name, weight: 1 }))
    expect(dealShards(items.toReversed(), 2)).toEqual(dealShards(items, 2))
  })

  it('start within their limit, in their order, and give back their results in order', async () => {
    const started: number[] = []
    const finish: (() => void)[] = []
    const tasks = [0, 1, 2, 3].map((index) => () => {
      started.push(index)
      return new Promise<number>((resolve) => (finish[index] = () => resolve(index)))
    })
    const results = startLimited(tasks, 2)
    expect(started).toEqual([0, 1])
    finish[1]()
    await results[1]
    await expect.poll(() => started).toEqual([0, 1, 2])
    finish[0]()
    finish[2]()
    await expect.poll(() => started).toEqual([0, 1, 2, 3])
    finish[3]()
    expect(await Promise.all(results)).toEqual([0, 1, 2, 3])
  })

  it('that fail make room for the next', async () => {
    const results = startLimited([() => Promise.reject(new Error('broken')), async () => 'fine'], 1)
    await expect(results[0]).rejects.toThrow('broken')
    expect(await results[1]).toBe('fine')
  })
})

// A file with stories of the browser host runs in that host alone, so that any other story in it would never run
// through the preload's bridge.
it('stories of the browser host have files of their own', () => {
  const folder = join(import.meta.dirname, '../../e2e')
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.test.ts'))) {
    const text = readFileSync(join(folder, name), 'utf8')
    const ofBrowser = text.match(/\bskip\(\.\.\.browserOnly\)/g)?.length ?? 0
    if (ofBrowser > 0) expect(text.match(/^ *(?:it|test)\b/gm)?.length, name).toBe(ofBrowser)
  }
})
