import { documentedVenue } from '../../../electron/sandbox/market/venues.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileRecipe, GeneratedFile, MetricFileRecipe } from '../../../electron/sandbox/files/fileRecipe.ts'
import { GeneratedFiles, createFilesFolder } from '../../../electron/sandbox/files/fileStore.ts'
import { jointDatasets } from '../../../electron/sandbox/files/jointDatasets.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const recipe = (dataset: string, period = '2026-09-01'): MetricFileRecipe => ({
  kind: 'metrics',
  seed: 1,
  venue: documentedVenue('venuea-futures'),
  symbol: 'perpetual-BTC-USDT:USDT',
  period,
  untilMs: 0,
  revision: 0,
  dataset,
  interval: '1h',
  timestamp: 'exchange',
  faults: {},
})

/** Creates a store whose files have 100 bytes each; also returns the recipes that it was asked to make. */
function storeOf(limitBytes: number, fails = (_: FileRecipe) => false) {
  const generatedRecipes: FileRecipe[] = []
  const make = async (asked: FileRecipe, folder: string): Promise<GeneratedFile[]> => {
    generatedRecipes.push(asked)
    await Promise.resolve()
    if (fails(asked)) throw new Error('no room')
    const recipes = asked.kind === 'raw' ? [asked] : jointDatasets(asked).map((dataset) => ({ ...asked, dataset }))
    return recipes.map((one, index) => {
      const path = join(folder, `${generatedRecipes.length}-${index}`)
      writeFileSync(path, 'x')
      return { recipe: one, path, sizeBytes: 100, sha256: `${generatedRecipes.length}` }
    })
  }
  return { store: new GeneratedFiles(make, limitBytes, temporaryFolder()), works: generatedRecipes }
}

test('neighbours that are requested at once are generated together', async () => {
  const { store, works } = storeOf(10_000)
  const files = await Promise.all(['flow', 'ohlcv', 'vtwap', 'flow'].map((dataset) => store.get(recipe(dataset))))
  expect(works).toHaveLength(1)
  expect(files.map((file) => (file.recipe as MetricFileRecipe).dataset)).toEqual(['flow', 'ohlcv', 'vtwap', 'flow'])
  await store.get(recipe('l1_price'))
  expect(works).toHaveLength(2)
})

test('prices are generated together with quotes or basis, whichever comes first', async () => {
  const { store, works } = storeOf(10_000)
  await Promise.all([store.get(recipe('basis')), store.get(recipe('ohlcv'))])
  await store.get(recipe('flow'))
  expect(works).toHaveLength(1)
  const [, prices] = await Promise.all([
    store.get(recipe('l1_liquidity', '2026-09-02')),
    store.get(recipe('ohlcv', '2026-09-02')),
  ])
  expect(prices.recipe).toEqual(recipe('ohlcv', '2026-09-02'))
  expect(works).toHaveLength(2)
  // Generating prices does not generate `basis` as well, because a client may need prices alone.
  expect(jointDatasets(recipe('ohlcv'))).not.toContain('basis')
})

test('what was unused longest goes when room is needed, and its file with it', async () => {
  const { store, works } = storeOf(300)
  const first = await store.get(recipe('funding'))
  await store.get(recipe('open_interest', '2026-09-03'))
  await store.get(recipe('open_interest'))
  await store.get(recipe('funding'))
  await store.get(recipe('funding', '2026-09-02'))
  expect(store.sizeBytes).toBe(300)
  expect(await store.get(recipe('funding'))).toBe(first)
  expect(works).toHaveLength(4)
  await store.get(recipe('open_interest', '2026-09-03'))
  expect(works).toHaveLength(5)
  store.close()
  expect(existsSync(store.folder)).toBe(false)
})

test('a generation that failed is tried again at the next request', async () => {
  let isFull = true
  const { store, works } = storeOf(300, () => isFull)
  await expect(store.get(recipe('funding'))).rejects.toThrow('no room')
  isFull = false
  expect((await store.get(recipe('funding'))).sizeBytes).toBe(100)
  expect(works).toHaveLength(2)
})

test('long files of short intervals are made alone', () => {
  expect(jointDatasets({ ...recipe('flow', '2026-07'), interval: '1m' })).toHaveLength(10)
  expect(jointDatasets({ ...recipe('flow', '2026-07'), interval: '15s' })).toEqual(['flow'])
  expect(jointDatasets({ ...recipe('flow'), interval: '15s' })).toHaveLength(10)
  expect(jointDatasets({ ...recipe('basis', '2026-07'), interval: '1h' })).toHaveLength(11)
  expect(jointDatasets({ ...recipe('basis', '2026-07'), interval: '1m' })).toEqual(['basis'])
})

test('folders that killed sandboxes left behind are removed, those of running ones are not', async () => {
  const parent = temporaryFolder()
  const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(gone, 'exit')
  const [left, running, other] = [`perpscope-sandbox-${gone.pid}-a`, `perpscope-sandbox-${process.pid}-b`, 'else']
  for (const name of [left, running, other]) mkdirSync(join(parent, name))
  const made = createFilesFolder(parent)
  expect(readdirSync(parent).sort()).toEqual([other, basename(made), running].sort())
})
