import { expect, it } from 'vitest'
import { createFormulaCosts, waitReporter } from '#core/series/formulaCosts.ts'
import { asCaller } from '#core/threads/caller.ts'

const heavy = (name: string) => [{ formula: name, costMs: 24_000 }]
const endless = () => new Promise<never>(() => {})

it('refuses what goes beyond the bound of a window, and says which formula costs what', async () => {
  const costs = createFormulaCosts()
  const window = {}
  const open = (name: string) => asCaller(window, () => costs.run(heavy(name), endless))
  for (const name of ['mad(a, 1)', 'mad(a, 2)', 'mad(a, 3)', 'mad(a, 4)', 'mad(a, 5)', 'mad(a, 6)', 'mad(a, 7)'])
    void open(name)
  await expect(open('mad(a, 8)')).rejects.toMatchObject({
    code: 'too-large',
    detail: expect.stringMatching(
      /^“mad\(a, 8\)” takes about 24 s\. .*“mad\(a, 1\)” takes about 24 s, .*4 more take about 96 s.* 180 s/,
    ) as string,
  })
})

it('refuses a single formula beyond the bound', async () => {
  const costs = createFormulaCosts(10_000)
  await expect(costs.run(heavy('mad(a, 9)'), endless)).rejects.toThrow('“mad(a, 9)” takes about 24 s.')
})

it('does not count the formulas of other windows, nor those that have ended or failed', async () => {
  const costs = createFormulaCosts(30_000)
  void asCaller({}, () => costs.run(heavy('mad(a, 1)'), endless))
  await asCaller({}, async () => {
    await costs.run(heavy('mad(a, 2)'), () => Promise.resolve())
    await costs.run(heavy('mad(a, 3)'), () => Promise.reject(new Error('no file'))).catch(() => {})
    expect(await costs.run(heavy('mad(a, 4)'), () => Promise.resolve('done'))).toBe('done')
  })
})

it('tells what a formula waits for, and then how long it takes if that is long', () => {
  const told: string[] = []
  const onWait = waitReporter([{ formula: 'mad(a, 9)', costMs: 4200 }], ({ message }) => told.push(message))
  for (const ahead of [2, 1, 1, 0, null]) onWait(ahead)
  expect(told).toEqual(['waits for 2 others', 'waits for 1 other', 'waits for a free thread', 'about 4 s'])
})

it('says nothing of a fast formula that need not wait', () => {
  const told: string[] = []
  waitReporter([{ formula: 'a + 1', costMs: 20 }], ({ message }) => told.push(message))(null)
  expect(told).toEqual([])
})
