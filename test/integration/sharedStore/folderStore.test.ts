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
import { describe, expect, it, onTestFinished } from 'vitest'
import { cellOf } from '#shared/contract/frame.ts'
import type { Download } from '#shared/contract/areas/downloads.ts'
import { startNodeProcess } from '#core/guard/guardedProcess.ts'
import type { StartProcess } from '#core/ports.ts'
import type { FolderTask } from '#core/sharedStore/folderWorker.ts'
import type { TaskMessage } from '#core/threads/threadPool.ts'
import { cliSession, type EndedCommand } from '../../fakes/cliSession.ts'
import { BTC, downloadWorld, type DownloadWorld, hourly } from '../../fakes/downloadWorld.ts'
import { sharedByTests } from '../../fakes/sharedByTests.ts'
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

/** Downloads of a first app, in a folder for each list of symbols, which all tests copy. */
const downloadedFolder = sharedByTests(temporaryFolder)

/** Fills a folder with the downloads of a first app, in the layout of Hive partitions. */
async function filledStore(symbols: string[] = [BTC], kind = '.'): Promise<string> {
  const downloaded = join(downloadedFolder(), symbols.map((symbol) => symbol.split('-')[1]).join('-'))
  if (!existsSync(downloaded)) {
    const first = await downloadWorld()
    await first.fetch({ symbols })
    cpSync(join(filesOf(first), 'metrics'), downloaded, { recursive: true })
  }
  const store = temporaryFolder()
  cpSync(downloaded, join(store, kind), { recursive: true })
  return store
}

const use = ({ client, connectionId }: DownloadWorld, store: string) =>
  client.call('connections.edit', { id: connectionId, store })

const timeouts = { connectMs: 10_000, headersMs: 30_000, idleMs: 30_000, folderMs: 4000 }

/** Starts processes that never answer one kind of call to a folder, as happens with a mount whose server is gone. */
function hangingFolder(call: FolderTask['call'], isKillable: boolean) {
  let hung = 0
  const start: StartProcess = (entry, name) => {
    const process = startNodeProcess(entry, name)
    if (!entry.pathname.includes('storeFolderProcess')) return process
    onTestFinished(process.kill)
    return {
      ...process,
      send(message) {
        if ((message as TaskMessage<FolderTask>).task.call === call) hung++
        else process.send(message)
      },
      kill: () => isKillable && process.kill(),
    }
  }
  return { start, hung: () => hung }
}

async function requestedAddresses({ client }: DownloadWorld): Promise<string[]> {
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
    expect((await requestedAddresses(world)).filter((address) => address.includes('.parquet'))).toHaveLength(1)
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

  it('gives all that it has while the service is down, and the spoilt file of one names it', async () => {
    const store = await filledStore([BTC, chinese])
    const paths = parquetFiles(store)
    rmSync(paths[0])
    rmSync(paths[5])
    writeFileSync(paths[2], 'damaged')
    const world = await downloadWorld()
    await use(world, store)
    await world.sandbox.close()
    await world.enqueue({ symbols: [BTC, chinese] })
    await world.until(({ counts }) => counts.done === 5 && counts.waiting === 3)
    const waiting = (await world.list()).filter(({ state }) => state === 'waiting')
    expect(waiting.map(({ error }) => error?.code)).toEqual(['network', 'network', 'network'])
    expect(waiting.flatMap(({ storeProblem }) => storeProblem ?? [])).toEqual([
      expect.stringContaining(`The store ${store} has a damaged file`),
    ])
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

  const silences: [what: string, call: FolderTask['call'], isKillable: boolean][] = [
    ['does not say what is in it', 'names', true],
    ['does not open a file', 'read', true],
    ['keeps its reader even from being killed', 'names', false],
  ]
  it.each(silences)(
    'is waited for once where it %s, and left alone for longer each time',
    async (_what, call, isKillable) => {
      const store = await filledStore()
      const folder = hangingFolder(call, isKillable)
      const world = await downloadWorld({ startProcess: folder.start, timeouts })
      await use(world, store)
      const fetchDay = async (day: string) => {
        const [{ outcome, storeProblem }] = await world.fetch({ startDay: day, endDay: day })
        expect(outcome).toBe('downloaded')
        return storeProblem
      }
      const silent = `The store ${store} did not answer within 4 seconds`
      expect(await fetchDay('2026-09-01')).toBe(silent)
      expect(folder.hung()).toBe(1)
      expect(await fetchDay('2026-09-02')).toBe(silent)
      world.clock.advance(61_000)
      const again = await fetchDay('2026-09-03')
      expect(folder.hung()).toBe(isKillable ? 2 : 1)
      expect(again).toBe(isKillable ? silent : `The store ${store} still does not answer`)
    },
  )

  it('ends publishing where it does not answer, and leaves the list of its files as it was', async () => {
    const store = temporaryFolder()
    const folder = hangingFolder('commit', true)
    const world = await downloadWorld({ startProcess: folder.start, timeouts })
    await use(world, store)
    await world.fetch()
    const request = { ...hourly, connectionId: world.connectionId }
    await expect(world.client.call('downloads.publish', { request })).rejects.toMatchObject({
      code: 'unsupported',
      detail: expect.stringContaining(`The store ${store} did not answer`),
    })
    expect(
      readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(json|parquet)$/.test(name)),
    ).toEqual([])
  })

  it('cannot be named where it does not answer', async () => {
    const folder = hangingFolder('kindOf', true)
    const world = await downloadWorld({ startProcess: folder.start, timeouts })
    await expect(use(world, temporaryFolder())).rejects.toThrow(/store: The store .* did not answer within 4 seconds/)
  })

  it('may contain folders, links into nowhere and odd names', async () => {
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
  const statesOf = ({ lines }: EndedCommand) => lines.slice(0, -1).map(({ state }) => state)

  it('says what was copied, also offline, and what neither has', async () => {
    const store = await filledStore()
    const { runHere, sandbox } = await cliSession()
    await runHere(['connection', 'add', 'Team', '--metrics-url', sandbox.url, '--store', store])
    await runHere(['connection', 'use', 'Team'])
    rmSync(parquetFiles(store)[2])
    const offline = await runHere([...args, '--offline'])
    expect([offline.status, statesOf(offline).toSorted()]).toEqual([3, ['copied', 'copied', 'failed']])
    const failed = offline.lines.find(({ state }) => state === 'failed')
    expect(failed?.error).toContain(`The store ${store} does not have this file`)
    expect(offline.lines.at(-1)).toMatchObject({ summary: { copied: 2, downloaded: 0, failed: 1 } })
    const again = await runHere([...args, '--offline'])
    expect(statesOf(again).toSorted()).toEqual(['cached', 'cached', 'failed'])
  })

  it('downloads nothing to publish to a store that is gone, and says what came if the store fails later', async () => {
    const store = temporaryFolder()
    const { runHere, sandbox } = await cliSession()
    await runHere(['connection', 'add', 'Team', '--metrics-url', sandbox.url, '--store', store])
    await runHere(['connection', 'use', 'Team'])
    rmSync(store, { recursive: true })
    const gone = await runHere([...args, '--publish'])
    expect([gone.status, gone.lines]).toEqual([1, []])
    expect(gone.stderr).toContain(`The store ${store} does not exist`)
    mkdirSync(store)
    writeFileSync(join(store, 'dataset=vtwap'), 'a file where a folder has to be')
    const later = await runHere([...args, '--publish'])
    expect([later.status, statesOf(later)]).toEqual([3, ['downloaded', 'downloaded', 'downloaded']])
    expect(later.lines.at(-1)).toMatchObject({ summary: { files: 3, downloaded: 3 } })
    expect(later.stderr).toContain(`The store ${store} cannot be used`)
  })
})
