/**
 * Fuzzes for as long as wanted: `npm run fuzz -- [TARGET…] [--count 100000] [--seed N]`. Findings are listed with the number that makes
 * them again, and their bytes are kept in `test/fuzz/findings`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fuzz, mutantAt } from './target.ts'
import { fuzzTargets } from './targets.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '100000' }, seed: { type: 'string' } },
})
const count = Number(values.count)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const names = positionals.length > 0 ? positionals : Object.keys(fuzzTargets)

for (const name of names) {
  const target = fuzzTargets[name]?.()
  if (!target) {
    console.error(`There is no target “${name}”. There are: ${Object.keys(fuzzTargets).join(', ')}.`)
    process.exitCode = 2
    break
  }
  const startedAt = performance.now()
  let shownAt = startedAt
  const onProgress = (done: number) => {
    if (performance.now() - shownAt < 10_000) return
    shownAt = performance.now()
    console.log(`${name}: ${done} of ${count}`)
  }
  const issues = await fuzz(target, { seed, count, onProgress }).finally(() => target.close())
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(`${name}: ${count} mutants of seed ${seed} in ${seconds} s, ${issues.length} issues`)
  for (const { index, message } of issues) {
    const path = join(import.meta.dirname, 'issues', `${name}-${seed}-${index}`)
    mkdirSync(join(import.meta.dirname, 'issues'), { recursive: true })
    writeFileSync(path, mutantAt(target.seeds(), seed, index))
    console.log(`  ${index}: ${message}\n     ${path}`)
    process.exitCode = 1
  }
}
