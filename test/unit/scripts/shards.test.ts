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
