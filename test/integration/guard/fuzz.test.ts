import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '#core/app.ts'
import type { CheckName } from '../../fuzz/check.ts'
import { guardedTarget } from '../../fuzz/guardedTarget.ts'
import { requestsTarget } from '../../fuzz/requestsTarget.ts'
import { socketTarget } from '../../fuzz/socketTarget.ts'
import { fuzz, replay, type FuzzTarget } from '../../fuzz/target.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'

const seed = Number(process.env.PERPSCOPE_FUZZ_SEED ?? Date.now() % 1_000_000)
console.log(`Seed of the fuzzing: ${seed} (PERPSCOPE_FUZZ_SEED makes it the same again)`)

/** Reads the earlier findings of a target. */
function fixturesOf(name: string): Map<string, Uint8Array> {
  const folder = join(import.meta.dirname, '../../fuzz/fixtures', name)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return new Map(names.map((each) => [each, new Uint8Array(readFileSync(join(folder, each)))]))
}

async function open(target: Promise<FuzzTarget>): Promise<FuzzTarget> {
  const opened = await target
  onTestFinished(() => opened.close())
  return opened
}

test(
  '2,000 mutants of Parquet files are refused or read, while the host answers throughout',
  { timeout: 300_000 },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-fuzz-'))
    const app = createApp(fakePorts(), { version: '0.0.0', dataDir })
    onTestFinished(async () => {
      await app.close()
      rmSync(dataDir, { recursive: true, force: true })
    })
    const client = app.clientFor(fakeHost())
    const target = await open(guardedTarget('parquet'))
    expect(await replay(target, fixturesOf('parquet'))).toEqual([])
    const run = { isOver: false }
    const fuzzing = fuzz(target, { seed, count: 2000 }).finally(() => (run.isOver = true))
    // The next request waits for the answer to the previous one, so that requests are sent throughout the run.
    let answeredCount = 0
    while (!run.isOver) {
      expect(await client.call('app.info', {})).toMatchObject({ version: '0.0.0' })
      answeredCount++
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await fuzzing).toEqual([])
    expect(answeredCount).toBeGreaterThan(100)
  },
)

test.each<[CheckName, number]>([
  ['json', 1000],
  ['formulas', 1000],
  ['workspaces', 1000],
  ['studies', 1000],
  ['queries', 500],
  ['sql', 200],
  ['quality', 300],
  ['arguments', 300],
])('mutants of %s are refused or read, and so is what was found earlier', { timeout: 60_000 }, async (name, count) => {
  const target = await open(guardedTarget(name))
  expect(await replay(target, fixturesOf(name))).toEqual([])
  expect(await fuzz(target, { seed, count })).toEqual([])
})

test.each([
  ['requests', requestsTarget, 400],
  ['socket frames', socketTarget, 160],
])('mutants of %s leave the browser host answering', { timeout: 60_000 }, async (_what, start, count) => {
  expect(await fuzz(await open(start()), { seed, count })).toEqual([])
})
