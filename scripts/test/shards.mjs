/**
 * Splits end-to-end test files into shards of about the same duration, and decides how many shards run at the same
 * time.
 */
import { readdirSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/** Number of cores that a shard uses: the app and its browser wait for each other most of the time. */
const CORES_PER_SHARD = 1.25

/** Returns the number of shards to run at the same time: two on two cores. */
export const shardsAtOnce = (cores = availableParallelism()) => Math.max(1, Math.round(cores / CORES_PER_SHARD))

/**
 * Distributes weighted items over `count` shards: the heaviest first, each to the shard that is lightest so far.
 * @param {{ name: string, weight: number }[]} items
 * @returns {string[][]} the names in each shard; no shard is empty if there are at least as many items as shards
 */
export function dealShards(items, count) {
  const shards = Array.from({ length: count }, () => ({ names: [], weight: 0 }))
  const heaviestFirst = items.toSorted((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1))
  for (const { name, weight } of heaviestFirst) {
    const lightest = shards.reduce((best, shard) => (shard.weight < best.weight ? shard : best))
    lightest.names.push(name)
    lightest.weight += weight
  }
  return shards.map(({ names }) => names)
}

/** Lists the test files directly in a folder. The size of a file approximates its running time. */
export function testFilesIn(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.test.ts'))
  return names.map((name) => ({ name, weight: statSync(join(folder, name)).size }))
}

/**
 * Starts the tasks in their order, at most `limit` at a time.
 * @param {(() => Promise<unknown>)[]} tasks
 * @returns {Promise<unknown>[]} one promise per task, in the same order
 */
export function startLimited(tasks, limit) {
  const waiting = []
  let runningCount = 0
  const release = () => {
    runningCount--
    waiting.shift()?.()
  }
  return tasks.map(async (task) => {
    if (runningCount >= limit) await new Promise((resolve) => waiting.push(resolve))
    runningCount++
    return task().finally(release)
  })
}
