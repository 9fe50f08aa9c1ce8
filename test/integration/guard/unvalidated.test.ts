import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp } from '#core/app.ts'
import { createGuardedComputePool } from '#core/compute/computePool.ts'
import { createPanelCheck } from '#core/lab/panelCheck.ts'
import { AppError } from '#shared/contract/errors.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { run } from '../../../electron/cli/run.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeHost, fakePorts } from '../../fakes/fakePorts.ts'
import { hostileFiles } from '../../fakes/hostileParquet.ts'
import { recordedProcesses } from '../../fakes/recordedProcesses.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'
import { day, eventsOf, symbol, venue } from '../raw/rawWorld.ts'
import { RawFolder } from '../rawFolder.ts'

const nextDay = '2026-09-02'
const startDay = Date.parse(day) / MS_PER_DAY
const hostile = hostileFiles()
/**
 * Two poisonous files: the first has an invalid footer, the second has pages whose headers claim more rows than they
 * contain.
 */
const poisons = ['lists nested 60 deep', 'runs of 200 M rows'] as const

async function importedDays() {
  const { start, tasks } = recordedProcesses()
  const app = createApp({ ...fakePorts(), startProcess: start }, { version: '0', dataDir: dataFolder() })
  onTestFinished(() => app.close())
  const client = app.clientFor(fakeHost())
  const raw = await RawFolder.create()
  const paths = [
    await raw.write('trades', day, eventsOf.trades(1000)),
    await raw.write('trades', nextDay, eventsOf.trades(100).replaceAll(day, nextDay)),
  ]
  await app.receiveFiles(paths)
  const { files } = await client.call('raw.inspect', {})
  const wanted = files.map(({ id, exchange, symbol: name }) => ({ id, exchange: exchange!, symbol: name! }))
  const { files: outcomes } = await client.call('raw.import', { files: wanted })
  tasks.length = 0
  const [first, second] = outcomes.map(({ path }) => path!)
  const request = { exchange: venue, symbol, startDay, endDay: startDay + 1 }
  return {
    client,
    raw,
    tasks,
    paths: { first, second },
    rows: (from = startDay) =>
      client.call('raw.rows', { ...request, dataset: 'trades', startDay: from, endDay: from + 1, offset: 0, limit: 5 }),
    latency: () => client.call('raw.latency', { exchange: venue, symbol, dataset: 'trades', period: day }),
    compute: () =>
      client.call('raw.compute', { ...request, datasets: ['ohlcv'], interval: '1h', timestamp: 'exchange' }),
  }
}

describe('raw events that somebody replaced in the cache', () => {
  it('are read by a guarded process before their rows are shown, and not again', async () => {
    const { raw, rows, latency, paths, tasks } = await importedDays()
    expect((await rows()).total).toBe(1000)
    expect(tasks).toEqual([])
    copyFileSync(await raw.write('trades', '2026-09-03', eventsOf.trades(500)), paths.first)
    expect((await rows()).total).toBe(500)
    const validated = tasks.length
    expect(tasks.filter((task) => task.includes(paths.first))).toHaveLength(validated)
    expect((await latency()).measured).toBe(500)
    expect(tasks).toHaveLength(validated)
  })

  it('leave the other days as they were', async () => {
    const { rows, latency, compute, paths } = await importedDays()
    writeFileSync(paths.first, hostile['runs of 200 M rows'])
    const refused = { code: 'corrupt-file', detail: expect.stringContaining(paths.first) as string }
    await expect(rows()).rejects.toMatchObject(refused)
    await expect(latency()).rejects.toMatchObject(refused)
    await expect(compute()).rejects.toMatchObject({ code: 'corrupt-file' })
    expect((await rows(startDay + 1)).total).toBe(100)
  })
})

async function perpscope(...args: string[]) {
  let stdout = ''
  let stderr = ''
  const status = await run([...args, '--data-dir', dataFolder()], {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    env: {},
    signal: new AbortController().signal,
  })
  return { status, stdout, stderr }
}

const runCompute = (raw: string, out: string) =>
  perpscope(
    ...['compute', '--dataset', 'ohlcv', '--exchange', venue, '--symbol', symbol, '--interval', '1h'],
    ...['--timestamp', 'exchange', '--start', day, '--end', day, '--raw', raw, '--out', out],
  )

describe('files that nobody validated', () => {
  it.for(poisons)('given to compute are refused with a sentence: %s', async (name) => {
    const raw = await RawFolder.create()
    const path = raw.path('trades', day)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, hostile[name])
    const { status, stdout, stderr } = await runCompute(raw.folder, join(raw.folder, 'out.parquet'))
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`${day}.parquet`)
  })

  it('are read for a computation in a separate process, and one that ends it is named', async () => {
    const { start, tasks } = recordedProcesses()
    const raw = await RawFolder.create()
    const path = await raw.write('trades', day, eventsOf.trades(100))
    const pool = createGuardedComputePool({ start, processes: 1 })
    onTestFinished(() => pool.close())
    const { outputs } = await raw.compute(['ohlcv'], { start: day }, { pool })
    expect(outputs[0].rows).toBe(1)
    expect(tasks.length).toBeGreaterThan(1)
    for (const task of tasks) expect(task).toContain(path)

    const entry = new URL('../../fakes/misbehavingCompute.ts', import.meta.url)
    const ending = createGuardedComputePool({ entry, processes: 1 })
    onTestFinished(() => ending.close())
    await expect(raw.compute(['ohlcv'], { start: day }, { pool: ending })).rejects.toMatchObject({
      code: 'corrupt-file',
      detail: `${day}.parquet: reading it crashed the reader process.`,
    })
  })

  it.for(poisons)('given as a panel are refused with a sentence: %s', async (name) => {
    const folder = temporaryFolder()
    const [panel, study] = [join(folder, 'panel.parquet'), join(folder, 'study.json')]
    writeFileSync(panel, hostile[name])
    writeFileSync(study, JSON.stringify(signalStudy))
    const { status, stdout, stderr } = await perpscope('study', 'run', study, '--panel', panel)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('panel.parquet: ')
  })

  it('are read as a panel by a guarded process first, and a panel that was replaced is read again', async () => {
    const { start, tasks } = recordedProcesses()
    const app = createApp({ ...fakePorts(), startProcess: start }, { version: '0', dataDir: dataFolder() })
    onTestFinished(() => app.close())
    const client = app.clientFor(fakeHost())
    // Other tasks of guarded processes may name the panel too; only the check of the file lists the columns that it
    // reads.
    const checks = () => tasks.filter((task) => task.includes('"columns"'))
    const path = join(temporaryFolder(), 'panel.parquet')
    const document = { version: 1 as const, study: signalStudy, panel: { path, against: null } }
    writePanel(path, 10)
    expect(await client.call('lab.source', { document })).toMatchObject({ rows: 20 })
    expect(checks()).toEqual([expect.stringContaining(path)])
    await client.call('lab.source', { document })
    expect(checks()).toHaveLength(1)
    writePanel(path, 11)
    expect(await client.call('lab.source', { document })).toMatchObject({ rows: 22 })
    expect(checks()).toHaveLength(2)
    writeFileSync(path, hostile['runs of 200 M rows'])
    await expect(client.call('lab.source', { document })).rejects.toMatchObject({
      code: 'bad-input',
      detail: expect.stringContaining('panel.parquet') as string,
    })
    expect(checks()).toHaveLength(3)
  })

  it('are not tried again by themselves once their reader was ended', async () => {
    const path = join(temporaryFolder(), 'panel.parquet')
    writePanel(path, 1)
    let checks = 0
    const { check } = createPanelCheck(() => {
      checks++
      return Promise.reject(new AppError('corrupt-file', `${path}: reading it takes too long.`))
    })
    const { signal } = new AbortController()
    for (let run = 0; run < 3; run++)
      await expect(check(path, ['close'], signal)).rejects.toMatchObject({ code: 'corrupt-file' })
    expect(checks).toBe(1)
  })
})

const signalStudy = { version: 1, kind: 'signal', interval: '1h', signal: 'close', price: 'close', horizons: [1] }

/** Writes a panel of two symbols. */
function writePanel(path: string, times: number): void {
  const rows = Array.from({ length: times * 2 }, (_, row) => row)
  const columnData = [
    { name: 'time', data: rows.map((row) => BigInt(Math.floor(row / 2) * 3_600_000)), type: 'INT64' as const },
    { name: 'symbol', data: rows.map((row) => `s${row % 2}`), type: 'STRING' as const },
    { name: 'close', data: rows.map((row) => 1 + row), type: 'DOUBLE' as const },
  ]
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData })))
}
