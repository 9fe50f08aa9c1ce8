import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cellOf } from '#shared/contract/frame.ts'
import type { Download } from '#shared/contract/areas/downloads.ts'
import { cliSession, type Ended } from '../../fakes/cliSession.ts'
import { BTC, downloadWorld, type DownloadWorld } from '../../fakes/downloadWorld.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const chinese = 'perpetual-龙-USDT:USDT'
const brief = (downloads: Download[]) =>
  downloads.map(({ period, state, outcome }) => `${period} ${state} ${outcome}`).toSorted()
const filesOf = ({ dataDir, connectionId }: DownloadWorld) => join(dataDir, 'files', connectionId)

const parquetFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.parquet'))
    .map((name) => join(folder, name))
    .toSorted()

/** Fills a folder with what a first desk downloaded, laid out as an export of Hive partitions. */
async function filledStore(symbols: string[] = [BTC], kind = '.'): Promise<string> {
  const first = await downloadWorld()
  await first.fetch({ symbols })
  const store = temporaryFolder()
  cpSync(join(filesOf(first), 'metrics'), join(store, kind), { recursive: true })
  return store
}

const use = ({ client, connectionId }: DownloadWorld, store: string) =>
  client.call('connections.edit', { id: connectionId, store })

async function askedOf({ client }: DownloadWorld): Promise<string[]> {
  const { columns } = await client.call('requests.list', { limit: 500 })
  const address = columns.find(({ name }) => name === 'address')!
  return Array.from({ length: 500 }, (_, row) => String(cellOf(address, row) ?? ''))
}

describe('a store in a folder', () => {
  it('is looked in before the service, which is asked only for what it lacks', async () => {
    const store = await filledStore([chinese])
    rmSync(parquetFiles(store)[0])
    const world = await downloadWorld()
    await use(world, store)
    const downloads = await world.fetch({ symbols: [chinese] })
    expect(brief(downloads)).toEqual([
      '2026-09-01 done downloaded',
      '2026-09-02 done copied',
      '2026-09-03 done copied',
      '2026-09-04 done copied',
    ])
    const copied = downloads.find(({ period }) => period === '2026-09-02')!
    expect(copied).toMatchObject({ store, storeProblem: null, error: null })
    expect(readFileSync(copied.path!)).toEqual(readFileSync(parquetFiles(store)[0]))
    expect((await askedOf(world)).filter((address) => address.includes('.parquet'))).toHaveLength(1)
  })

  it('may be the folder of a connection in the cache, and needs no key of the service', async () => {
    const store = await filledStore([BTC], 'metrics')
    const world = await downloadWorld({ key: 'no-such-key' })
    await use(world, store)
    rmSync(parquetFiles(store)[3])
    expect(brief(await world.fetch())).toEqual([
      '2026-09-01 done copied',
      '2026-09-02 done copied',
      '2026-09-03 done copied',
      '2026-09-04 failed null',
    ])
  })

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 100)],
    ['empty', () => Buffer.alloc(0)],
    ['something else', () => Buffer.from('PAR1 this is no Parquet file at all PAR1')],
    ['filled with zeros in its middle', (bytes: Buffer) => Buffer.from(bytes).fill(0, 8, bytes.length >> 1)],
  ])('counts as absent where a file is %s, and the service is asked', async (_, damage) => {
    const store = await filledStore()
    const [path] = parquetFiles(store)
    const whole = readFileSync(path)
    writeFileSync(path, damage(whole))
    const world = await downloadWorld()
    await use(world, store)
    const [first] = await world.fetch({ startDay: '2026-09-01', endDay: '2026-09-01' })
    expect(first).toMatchObject({ outcome: 'downloaded', store: null, error: null })
    expect(first.storeProblem).toContain(`The store ${store} has a damaged file`)
    expect(readFileSync(first.path!)).toEqual(whole)
    expect(readdirSync(join(first.path!, '..')).filter((name) => name.endsWith('.part'))).toEqual([])
    expect(world.ports.log.lines.join('\n')).toContain(store)
  })

  it('is named in the error where the service does not have the file either', async () => {
    const store = await filledStore()
    writeFileSync(parquetFiles(store)[0], 'damaged')
    const world = await downloadWorld({ key: 'no-such-key' })
    await use(world, store)
    const [first] = await world.fetch({ startDay: '2026-09-01', endDay: '2026-09-01' })
    expect(first.state).toBe('failed')
    expect(first.error).toMatchObject({ code: 'unauthorized' })
    expect(first.error?.detail).toContain(`The store ${store} has a damaged file`)
  })

  it('offers no file that may have been written before its period was over', async () => {
    const store = await filledStore()
    const [path] = parquetFiles(store)
    utimesSync(path, new Date('2026-09-01T12:00:00Z'), new Date('2026-09-01T12:00:00Z'))
    const world = await downloadWorld()
    await use(world, store)
    expect(brief(await world.fetch())[0]).toBe('2026-09-01 done downloaded')
  })

  it('is left alone where its folder is gone, and the service is asked', async () => {
    const store = await filledStore()
    const world = await downloadWorld()
    await use(world, store)
    rmSync(store, { recursive: true })
    const downloads = await world.fetch()
    expect(brief(downloads)[0]).toBe('2026-09-01 done downloaded')
    expect(downloads[0].storeProblem).toContain(`The store ${store} does not exist`)
    expect(existsSync(store)).toBe(false)
  })

  it('may hold folders, links into nowhere and odd names', async () => {
    const store = await filledStore()
    const [path] = parquetFiles(store)
    rmSync(path)
    mkdirSync(path)
    symlinkSync('/nowhere', join(path, '..', '2026-09-02.0123456789abcdef.parquet'))
    writeFileSync(
      join(path, '..', '_perpscope.other.json'),
      '{"format":"perpscope-store","version":1,"files":[{"name":"../../x"}]}',
    )
    writeFileSync(join(path, '..', '_perpscope.broken.json'), '{"format"')
    const world = await downloadWorld()
    await use(world, store)
    expect(brief(await world.fetch())).toEqual([
      '2026-09-01 done downloaded',
      '2026-09-02 done copied',
      '2026-09-03 done copied',
      '2026-09-04 done copied',
    ])
  })
})

describe('perpscope fetch with a store', () => {
  const args = [
    ...['fetch', '--dataset', 'vtwap', '--exchange', 'venuea-futures', '--symbol', BTC, '--interval', '1h'],
    ...['--timestamp', 'exchange', '--start', '2026-09-01', '--end', '2026-09-03', '--json'],
  ]
  const statesOf = ({ lines }: Ended) => lines.slice(0, -1).map(({ state }) => state)

  it('says what was copied, also offline, and what neither has', async () => {
    const store = await filledStore()
    const { runHere, sandbox } = await cliSession()
    await runHere(['connection', 'add', 'Team', '--metrics-url', sandbox.url, '--store', store])
    await runHere(['connection', 'use', 'Team'])
    rmSync(parquetFiles(store)[2])
    const offline = await runHere([...args, '--offline'])
    expect([offline.status, statesOf(offline).toSorted()]).toEqual([3, ['copied', 'copied', 'failed']])
    const failed = offline.lines.find(({ state }) => state === 'failed')
    expect(failed?.error).toContain(`The store ${store} does not have it`)
    expect(offline.lines.at(-1)).toMatchObject({ summary: { copied: 2, downloaded: 0, failed: 1 } })
    const again = await runHere([...args, '--offline'])
    expect(statesOf(again).toSorted()).toEqual(['cached', 'cached', 'failed'])
  })
})
