import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MS_PER_DAY } from '../../shared/time.ts'
import { dayFromNumber } from '../../shared/time/periods.ts'
import { FIRST_DAY, forwardWorld, test } from '../fakes/forwardWorld.ts'
import type { BenchLine, BenchTask } from './benchLine.ts'

const ENTRIES = 10_000
const RECORDED_DAYS = 365

/** Fills a folder with recorded tests of a year; each round one new day comes. */
async function prepare(figure: 'ms' | 'megabytes'): Promise<BenchTask> {
  const world = forwardWorld(mkdtempSync(join(tmpdir(), 'perpscope-forward-')))
  let today = FIRST_DAY + RECORDED_DAYS
  const fetch = () => {
    world.setClock((today + 1) * MS_PER_DAY + 3_600_000)
    world.fetchDay(today++)
  }
  world.setClock(today * MS_PER_DAY + 3_600_000)
  for (let day = FIRST_DAY; day < today; day++) world.fetchDay(day)
  await world.run({ ...test, end: dayFromNumber(today + 100) })
  world.variants(ENTRIES - 1)
  // The day in which the runs were recorded is not forward.
  fetch()
  const score = async () => {
    fetch()
    const args = [join(import.meta.dirname, '../fakes/scoreProcess.ts'), world.dataDir, String(world.now())]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const scored = JSON.parse(stdout) as { runs: number; ms: number; megabytes: number }
    if (scored.runs !== ENTRIES) throw new Error(`scored ${scored.runs} runs`)
    return scored[figure]
  }
  return {
    ours: score,
    rounds: 3,
    close() {
      world.close()
      rmSync(world.dataDir, { recursive: true, force: true })
      return Promise.resolve()
    },
  }
}

const line = (figure: 'ms' | 'megabytes', more: Pick<BenchLine, 'unit' | 'budget'>): BenchLine => ({
  name: `forward: 10,000 recorded tests and one new day on two threads${figure === 'ms' ? '' : ', peak memory'}`,
  ...more,
  rule: 'value',
  peerName: null,
  prepare: () => prepare(figure),
})

export const benchLines: BenchLine[] = [
  line('ms', { unit: 'ms', budget: 30_000 }),
  line('megabytes', { unit: 'MB', budget: 500 }),
]
