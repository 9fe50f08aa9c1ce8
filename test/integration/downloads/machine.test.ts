import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
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

/**
 * Mounts a disk of one page at a folder and fills it. @returns a function that enlarges the disk, or null if this
 * system does not permit mounting
 */
function mountFullDisk(folder: string): (() => void) | null {
  const mount = (...args: string[]) => spawnSync('mount', [...args, folder]).status === 0
  if (!mount('-t', 'tmpfs', '-o', 'size=4k', 'tmpfs')) return null
  onTestFinished(() => void spawnSync('umount', [folder]))
  writeFileSync(join(folder, 'filling'), Buffer.alloc(4096))
  return () => void mount('-o', 'remount,size=1m')
}

describe('a disk without room', () => {
  test('holds everything with words and a time, and it goes on by itself when there is room', async (context) => {
    const { enqueue, until, dataDir, connectionId, clock } = await downloadWorld()
    const path = pathIn(dataDir, connectionId)
    mkdirSync(dirname(path), { recursive: true })
    const makeRoom = mountFullDisk(dirname(path))
    if (!makeRoom) return context.skip('this system lets nobody mount a small disk here')
    await enqueue(oneDay)
    const { holds, counts } = await until((progress) => progress.holds.length > 0 && progress.counts.running === 0)
    expect(holds).toMatchObject([{ connectionId: '', code: 'disk-full' }])
    expect(holds[0].sentence).toContain('no space left')
    expect(holds[0].remedy).toContain('Free up space')
    expect(holds[0].detail).toContain(dataDir)
    expect(holds[0].until).toBeGreaterThan(clock.nowMs())
    expect(counts).toMatchObject({ queued: 1, failed: 0 })
    // A completely downloaded file is never resumed, so its part is removed at once and frees its space.
    expect(readdirSync(dirname(path))).toEqual(['filling'])
    makeRoom()
    clock.advance(31_000)
    await until((progress) => progress.counts.done === 1)
    expect(readdirSync(dirname(path))).toEqual(['2026-09-02.parquet', 'filling'])
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
