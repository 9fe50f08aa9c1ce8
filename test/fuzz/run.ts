/**
 * Fuzzes for as long as wanted: `npm run fuzz -- [--target NAME]… [--count 100000] [--seed N]`. Each finding is listed
 * with its number, from which its mutant can be made again, and its bytes are kept in `test/fuzz/issues`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fuzz, mutantAt, mutantSource, type FuzzTarget } from './target.ts'
import { fuzzTargets } from './targets.ts'

const PROGRESS_MS = 10_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    target: { type: 'string', multiple: true, default: [] },
    count: { type: 'string', default: '100000' },
    seed: { type: 'string' },
  },
})
const count = Number(values.count)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const named = [...values.target, ...positionals]
const unknown = named.find((name) => !Object.hasOwn(fuzzTargets, name))

if (unknown !== undefined || !(count > 0) || !Number.isFinite(seed)) {
  console.error(unknown === undefined ? '--count and --seed are numbers.' : `There is no target “${unknown}”.`)
  console.error(`The targets are: ${Object.keys(fuzzTargets).join(', ')}.`)
  process.exitCode = 2
} else {
  for (const name of named.length > 0 ? named : Object.keys(fuzzTargets)) {
    const target = await fuzzTargets[name]()
    await run(target).finally(() => target.close())
  }
}

async function run(target: FuzzTarget): Promise<void> {
  const startedAt = performance.now()
  let shownAt = startedAt
  const onProgress = (done: number) => {
    if (performance.now() - shownAt < PROGRESS_MS) return
    shownAt = performance.now()
    console.log(`${target.name}: ${done} of ${count}, seed ${seed}`)
  }
  const issues = await fuzz(target, { seed, count, onProgress })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  const worst = target.worst?.()
  const most = worst
    ? `, at most ${Math.round(worst.cpuMs)} ms of processor time and ${Math.round(worst.peakBytes / 2 ** 20)} MB`
    : ''
  console.log(`${target.name}: ${count} mutants of seed ${seed} in ${seconds} s, ${issues.length} issues${most}`)
  for (const { index, message } of issues) {
    const folder = join(import.meta.dirname, 'issues')
    const path = join(folder, `${target.name}-${seed}-${index}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(path, mutantAt(mutantSource(target), seed, index))
    console.log(`  ${index}: ${message}\n     ${path}`)
    process.exitCode = 1
  }
}
