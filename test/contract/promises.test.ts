import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { appPromises } from './promises/appPromises.ts'
import { commandPromises } from './promises/commandPromises.ts'
import { contractPromises } from './promises/contractPromises.ts'
import { filePromises } from './promises/filePromises.ts'
import { brokenPromise, readPromises, recordPromises, sortedSet, type Promises } from './promises/promises.ts'
import { endScenarios, runScenarios } from './promises/scenarios.ts'
import { openScenarioWorld, type ScenarioWorld } from './promises/scenarioWorld.ts'
import { sourcePromises } from './promises/sourcePromises.ts'
import { storePromises } from './promises/storePromises.ts'

let world: ScenarioWorld
let current: Promises

beforeAll(async () => {
  world = await openScenarioWorld()
  await runScenarios(world)
  const app = await appPromises(world)
  const files = await filePromises(world)
  const database = readdirSync(world.dataDir).find((name) => name.endsWith('.sqlite'))
  const store = storePromises(join(world.dataDir, String(database)))
  await endScenarios(world)
  current = {
    ...(await commandPromises()),
    ...contractPromises(),
    ...sourcePromises(),
    ...store,
    ...app,
    ...files,
    'json fields': sortedSet(world.jsonFields),
    'observed exit statuses': sortedSet(world.statuses),
  }
  recordPromises(current)
}, 300_000)
afterAll(() => world.close())

it('keeps the names and forms of 0.1.0', () => {
  const promised = readPromises()
  for (const [kind, names] of Object.entries(current))
    expect.soft(brokenPromise(kind, promised[kind] ?? [], names), kind).toBe('')
})
