import { expect, onTestFinished, test } from 'vitest'
import { fuzz } from '../../fuzz/target.ts'
import { parquetTarget } from '../../fuzz/parquetTarget.ts'

test(
  '2,000 mutants of Parquet files are refused or read, while the host answers throughout',
  { timeout: 300_000 },
  async () => {
    const seed = Number(process.env.PERPSCOPE_FUZZ_SEED ?? Date.now() % 1_000_000)
    console.log(`Seed of the fuzzing: ${seed} (PERPSCOPE_FUZZ_SEED makes it the same again)`)
    const target = parquetTarget()
    onTestFinished(() => target.close())
    let longestMs = 0
    let lastMs = performance.now()
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - lastMs)
      lastMs = performance.now()
    }, 10)
    onTestFinished(() => clearInterval(timer))
    expect(await fuzz(target, { seed, count: 2000 })).toEqual([])
    expect(longestMs).toBeLessThan(1000)
  },
)
