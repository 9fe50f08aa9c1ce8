import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BTC, downloadWorld } from '../../fakes/downloadWorld.ts'
import { openCacheFolder } from '#core/store/cacheFolder.ts'

const oneDay = { startDay: '2026-09-02', endDay: '2026-09-02' }
const series = {
  kind: 'metrics',
  dataset: 'vtwap',
  exchange: 'venuea-futures',
  symbol: BTC,
  interval: '1h',
  timestamp: 'exchange',
} as const
const pathIn = (dataDir: string, connectionId: string) =>
  openCacheFolder(dataDir).pathOf({ ...series, connectionId }, '2026-09-02')

/** Puts the device that is always full at a path; a link to it would not be written through. @returns whether this system lets it */
function putFullDevice(path: string): boolean {
  if (spawnSync('mknod', [path, 'c', '1', '7']).status !== 0) return false
  try {
    closeSync(openSync(path, 'r+'))
    return true
  } catch {
    rmSync(path)
    return false
  }
}

describe('a disk without room', () => {
  test('holds everything with words and a time, and it goes on by itself when there is room', async (context) => {
    const { enqueue, until, dataDir, connectionId, clock } = await downloadWorld()
    const path = pathIn(dataDir, connectionId)
    mkdirSync(dirname(path), { recursive: true })
    if (!putFullDevice(`${path}.part`)) context.skip('this system lets nobody put a device that is always full here')
    await enqueue(oneDay)
    const { holds, counts } = await until((progress) => progress.holds.length > 0 && progress.counts.running === 0)
    expect(holds).toMatchObject([{ connectionId: '', code: 'disk-full' }])
    expect(holds[0].sentence).toContain('no space left')
    expect(holds[0].remedy).toContain('Free up space')
    expect(holds[0].detail).toContain(dataDir)
    expect(holds[0].until).toBeGreaterThan(clock.nowMs())
    expect(counts).toMatchObject({ queued: 1, failed: 0 })
    // What came whole is not continued, so its part frees its space at once.
    expect(readdirSync(dirname(path))).toEqual([])
    clock.advance(31_000)
    await until((progress) => progress.counts.done === 1)
    expect(readdirSync(dirname(path))).toEqual(['2026-09-02.parquet'])
  })

  test('a folder that cannot be written holds everything and names it', async () => {
    const { enqueue, until, client, dataDir, connectionId } = await downloadWorld()
    const folder = join(dataDir, 'files', connectionId)
    writeFileSync(folder, 'a file where a folder should be')
    await enqueue(oneDay)
    const { holds, counts } = await until((progress) => progress.holds.length > 0 && progress.counts.running === 0)
    expect(holds).toMatchObject([{ connectionId: '', code: 'read-only', sentence: 'The data folder is not writable.' }])
    expect(holds[0].detail).toContain(dataDir)
    expect(counts.failed).toBe(0)
    rmSync(folder)
    await client.call('downloads.resume', { which: { filter: {} } })
    await until((progress) => progress.counts.done === 1)
  })
})

describe('a clock', () => {
  test.each([
    ['that jumps an hour ahead, as after a sleep', 3_600_000],
    ['that is set back by an hour', -3_600_000],
  ])('%s stops nothing and fails nothing', async (_, jumpMs) => {
    const { enqueue, until, clock, sandbox } = await downloadWorld()
    sandbox.setFaults({ rules: [{ on: 'storage', status: 503, times: 3 }] })
    await enqueue()
    await until(({ counts }) => counts.waiting > 0 || counts.done > 0)
    clock.advance(jumpMs)
    const { counts } = await until((progress) => progress.counts.done === 4)
    expect(counts.failed).toBe(0)
  })
})
