import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ParquetWriter } from 'hyparquet-writer'
import { metricDataset } from '#shared/catalog/metricDatasets.ts'
import { AppError } from '#shared/contract/errors.ts'
import { MetricFileWriter } from '#core/compute/metricFile.ts'
import { encodeRows, type RowsToEncode } from '#core/compute/metricGroups.ts'
import { ParquetEncoder } from '#core/export/parquetEncoder.ts'
import { smallDisk } from '../../fakes/smallDisk.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const [probe, ...probeArgs] = smallDisk(tmpdir(), '1m')
const isPossible = process.platform === 'linux' && spawnSync(probe, [...probeArgs, 'true']).status === 0

const diskFull = () => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })

const rows = () => ({
  dataset: 'ohlcv' as const,
  timeMs: Float64Array.of(0, 60_000),
  columns: metricDataset('ohlcv').columns.map(() => Float64Array.of(1, 2)),
})

const frame = () => ({
  rows: 1,
  columns: [
    { name: 'time', kind: 'time' as const, values: Float64Array.of(0), valid: null },
    { name: 'value', kind: 'number' as const, values: Float64Array.of(1), valid: null },
  ],
})

afterEach(() => vi.restoreAllMocks())

describe('a metric file on a disk that fails', () => {
  it.each(['write', 'finish'] as const)('is not renamed into place when the writer’s %s fails later', async (step) => {
    vi.spyOn(ParquetWriter.prototype, step).mockImplementation(() => Promise.reject(diskFull()))
    const path = join(temporaryFolder(), 'ohlcv.parquet')
    const file = new MetricFileWriter(path, 'ohlcv')
    await file.add(rows())
    await expect((async () => file.finish())()).rejects.toMatchObject({ code: 'disk-full' })
    expect(existsSync(path)).toBe(false)
    file.discard()
  })

  it.skipIf(!isPossible)('says that a full disk is full, and leaves nothing behind', () => {
    const disk = temporaryFolder()
    const script = `
      import { MetricFileWriter } from '#core/compute/metricFile.ts'
      import { readdirSync } from 'node:fs'
      import { metricDataset } from '#shared/catalog/metricDatasets.ts'
      const columns = metricDataset('ohlcv').columns.map(() => Float64Array.of(1, 2))
      const file = new MetricFileWriter('${disk}/ohlcv.parquet', 'ohlcv')
      await file.add({ dataset: 'ohlcv', timeMs: Float64Array.of(0, 60_000), columns })
      const code = await file.finish().then(() => 'written', (error) => error.code)
      file.discard()
      console.log(code, readdirSync('${disk}').join())`
    const [mount, ...args] = smallDisk(disk, '4k')
    const fill = `head -c 4096 /dev/zero > '${disk}/filling'; exec "$@"`
    const node = [process.execPath, '--input-type=module', '-e', script]
    const { stdout, stderr } = spawnSync(mount, [...args, 'sh', '-c', fill, 'sh', ...node], { encoding: 'utf8' })
    expect(stdout || stderr).toBe('disk-full filling\n')
  })

  it('lets none of the files appear that belong to the same computation', async () => {
    const folder = temporaryFolder()
    mkdirSync(folder, { recursive: true })
    const files = ['first', 'second'].map((name) => new MetricFileWriter(join(folder, name), 'ohlcv'))
    for (const file of files) await file.add(rows())
    const { finish } = ParquetWriter.prototype
    vi.spyOn(ParquetWriter.prototype, 'finish')
      .mockImplementationOnce(function (this: ParquetWriter) {
        return finish.call(this)
      })
      .mockImplementationOnce(() => Promise.reject(diskFull()))
    await expect(MetricFileWriter.finishAll(files)).rejects.toMatchObject({ code: 'disk-full' })
    for (const file of files) file.discard()
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a computation whose threads end before its files are encoded', () => {
  it('says so, and lets none of its files appear', async () => {
    const folder = temporaryFolder()
    const files = ['first', 'second'].map((name) => new MetricFileWriter(join(folder, name), 'ohlcv'))
    for (const file of files) await file.add(rows())
    let encoded = 0
    const encode = (part: RowsToEncode) =>
      encoded++ === 0 ? encodeRows(part) : Promise.reject(new AppError('cancelled'))
    await expect(MetricFileWriter.finishAll(files, encode)).rejects.toMatchObject({ code: 'cancelled' })
    for (const file of files) file.discard()
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('an export to Parquet whose writer fails later', () => {
  const encoder = () => new ParquetEncoder([{ label: 'value', kind: 'number' }], false)

  it('fails with its rows', async () => {
    vi.spyOn(ParquetWriter.prototype, 'write').mockImplementation(() => Promise.reject(diskFull()))
    await expect((async () => encoder().rows(frame()))()).rejects.toThrow('no space left')
  })

  it('fails with its end', async () => {
    vi.spyOn(ParquetWriter.prototype, 'finish').mockImplementation(() => Promise.reject(diskFull()))
    await expect((async () => encoder().end('{}'))()).rejects.toThrow('no space left')
  })
})
