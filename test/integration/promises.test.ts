import { afterAll, beforeAll, expect, it } from 'vitest'
import { appPromises } from '../contract/promises/appPromises.ts'
import { filePromises } from '../contract/promises/filePromises.ts'
import { comparePromises, sortedSet } from '../contract/promises/promises.ts'
import { endScenarios, runScenarios } from '../contract/promises/scenarios.ts'
import { openScenarioWorld, type ScenarioWorld } from '../contract/promises/scenarioWorld.ts'

let world: ScenarioWorld
beforeAll(async () => {
  world = await openScenarioWorld()
})
afterAll(() => world.close(), 60_000)

it('keeps what the commands of 0.1.0 print, return and write', { timeout: 900_000 }, async () => {
  await runScenarios(world)
  const saved = await appPromises(world)
  const files = await filePromises(world)
  await endScenarios(world)
  const printed = { 'json fields': sortedSet(world.jsonFields), 'observed exit statuses': sortedSet(world.statuses) }
  comparePromises(expect, { ...saved, ...files, ...printed })
})
