import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { runInProcess } from '../../fakes/runInProcess.ts'

const HOUR = 3_600_000
const START = Date.parse('2026-06-20')

/** Hourly rows of two bases: AAA has a gap over the end of June, a spike and a stale stretch, BBB has no fault. */
function rowsOf(): string {
  const lines = ['time,symbol,level']
  for (let hour = 0; hour < 500; hour++) {
    const time = START + hour * HOUR
    const wave = 100 + Math.sin(hour) + (hour % 7) / 10
    const level = hour === 50 ? 900 : hour >= 100 && hour < 140 ? 77 : wave
    if (hour < 260 || hour >= 270) lines.push(`${time},AAA,${level}`)
    lines.push(`${time},BBB,${wave}`)
  }
  return lines.join('\n')
}

test('quality finds gaps, spikes and stale stretches in a dataset of one’s own', async () => {
  const dataDir = dataFolder()
  const [csv, events] = [join(dataDir, 'mine.csv'), join(dataDir, 'unlocks.csv')]
  writeFileSync(csv, rowsOf())
  writeFileSync(events, 'time,size\n2026-06-21T10:00Z,7\n2026-06-29T10:00Z,7\n')
  await runInProcess(dataDir, 'data', 'add', 'mine', csv)
  await runInProcess(dataDir, 'data', 'add', 'unlock', events, '--events')

  const { status, stdout } = await runInProcess(dataDir, 'quality', '--dataset', 'own_mine', '--json')
  expect(status).toBe(3)
  const records = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  const { summary } = records.pop() as { summary: { files: number } }
  expect(summary.files).toBe(4)
  const found = { dataset: 'own_mine', symbol: 'AAA', exchange: '', interval: '1h' }
  const at = (hour: number) => START + hour * HOUR
  for (const record of records) expect(record).toMatchObject(found)
  expect(records.map(({ kind, from, to, count }) => [kind, from, to, count])).toEqual([
    ['spike', at(50), at(51), 1],
    ['stale', at(100), at(120), 20],
    ['stale', at(120), at(140), 20],
    ['missing', at(260), at(264), 4],
    ['missing', at(264), at(270), 6],
  ])

  expect(await runInProcess(dataDir, 'quality', '--dataset', 'own_mine', '--symbol', 'BBB')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('2 files with 61 series-days: no findings') as string,
  })
  expect(await runInProcess(dataDir, 'quality', '--dataset', 'own_unlock')).toMatchObject({ status: 0 })
  // Without a dataset, everything that is on this machine is checked.
  const all = await runInProcess(dataDir, 'quality', '--json')
  expect(all.stdout).toContain('own_mine')
  const unknown = await runInProcess(dataDir, 'quality', '--dataset', 'own_nothing')
  expect(unknown.status).not.toBe(0)
  expect(unknown.stderr).toContain('There is no dataset nothing of your own')
})
