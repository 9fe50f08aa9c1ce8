/**
 * Compares this checkout with another one: `npm run bench -- --against DIR`. Each checkout measures in its own process,
 * so that neither warms up the other's code, and the two alternate, so that noise affects both.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { at } from '../project.mjs'
import { median } from './results.mjs'

const runner = fileURLToPath(new URL('lineRunner.mjs', import.meta.url))

/**
 * Starts the process that runs the benchmark lines of one checkout. The process answers each request with a value or an
 * error.
 */
function startRunner(checkout) {
  // Benchmark lines start programs by relative paths, so the process runs in the folder of its checkout.
  const child = fork(runner, [checkout], { cwd: checkout, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(child, 'exit').then(([code]) => ({ error: `ended with ${code}` }))
  async function ask(request) {
    const reply = once(child, 'message').then(([answer]) => answer)
    child.send(request)
    const { value, error } = await Promise.race([reply, ended])
    if (error) throw new Error(`${checkout}: ${error}`)
    return value
  }
  return { ask, stop: () => child.kill() }
}

async function compare(line, ours, theirs) {
  const measurements = { ours: [], other: [] }
  try {
    const rounds = await ours.ask({ prepare: line.name })
    await theirs.ask({ prepare: line.name })
    for (let round = 0; round < rounds; round++) {
      // The checkouts take turns in going first, because the first one meets colder caches.
      const turns = round % 2 === 0 ? ['ours', 'other'] : ['other', 'ours']
      for (const turn of turns) measurements[turn].push(await (turn === 'ours' ? ours : theirs).ask({ measure: true }))
    }
    const [ourMedian, otherMedian] = [median(measurements.ours), median(measurements.other)]
    return {
      name: line.name,
      unit: line.unit,
      ours: rounded(ourMedian),
      other: rounded(otherMedian),
      ratio: rounded(ourMedian / otherMedian),
      rounds,
      error: null,
    }
  } catch (error) {
    return { name: line.name, unit: line.unit, ours: null, other: null, ratio: null, rounds: 0, error: error.message }
  } finally {
    for (const each of [ours, theirs]) await each.ask({ close: true }).catch(() => {})
  }
}

const rounded = (value) => Number(value.toPrecision(4))

const rowOf = ({ name, unit, ours, other, ratio, error }) =>
  error === null
    ? `${name.padEnd(78)} ${`${ours} ${unit}`.padStart(15)} ${`${other} ${unit}`.padStart(15)} ${String(ratio).padStart(8)}`
    : `${name}\n       ${error}`

/**
 * Measures the benchmark lines in both checkouts, and prints for each one the two medians and their ratio
 * (ours / other).
 * @returns {Promise<number>} the exit status: 1 if any line could not be measured in both checkouts
 */
export async function compareCheckouts(lines, other, isJson) {
  const [ours, theirs] = [startRunner(at()), startRunner(resolve(other))]
  let isComplete = true
  if (!isJson) console.log(`${'line'.padEnd(78)} ${'ours'.padStart(15)} ${'other'.padStart(15)} ${'ratio'.padStart(8)}`)
  for (const line of lines) {
    const result = await compare(line, ours, theirs)
    isComplete &&= result.error === null
    console.log(isJson ? JSON.stringify(result) : rowOf(result))
  }
  for (const each of [ours, theirs]) each.stop()
  return isComplete ? 0 : 1
}
