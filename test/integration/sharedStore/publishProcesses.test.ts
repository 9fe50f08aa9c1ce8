import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createStoreCatalog } from '#core/sharedStore/storeCatalog.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { folderFiles } from '../../fakes/storeFolder.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const program = join(import.meta.dirname, '../../fakes/publishProcess.ts')
const series = flowSeries({ connectionId: 'desk', dataset: 'vtwap', interval: '1h' })
const days = ['2020-08-01', '2020-08-02', '2020-08-03', '2020-08-04']

/** Creates a folder with the files of some days; a day has the same content in every folder. */
function filesOf(contents: ReadonlyMap<string, Buffer>, wanted: readonly string[]): string {
  const folder = temporaryFolder()
  for (const day of wanted) writeFileSync(join(folder, `${day}.parquet`), contents.get(day)!)
  return folder
}

const someContents = () => new Map(days.map((day) => [day, randomBytes(200_000)]))

/**
 * Publishes a folder in a separate process, which kills itself at the step `killAt`. @returns the process's output, or
 * the name of the signal that ended it
 */
function publish(store: string, folder: string, writer: string, killAt = ''): Promise<string> {
  const child = spawn(process.execPath, [program, store, folder, writer], {
    env: { ...process.env, KILL_AT: killAt },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((resolve) => child.on('close', (_, signal) => resolve(signal ?? output)))
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Returns the days that a reader finds, and checks that each is whole. */
async function readableDays(store: string, contents: ReadonlyMap<string, Buffer>): Promise<string[]> {
  const { signal } = new AbortController()
  const catalog = createStoreCatalog(folderFiles(store), () => Date.parse('2026-10-01'))
  const found: string[] = []
  for (const day of days) {
    const copies = await catalog.find(series, day, signal)
    for (const copy of copies) {
      const bytes = readFileSync(join(store, copy.path))
      expect(sha256(bytes), copy.path).toBe(sha256(contents.get(day)!))
      expect(bytes.length).toBe(copy.sizeBytes)
    }
    if (copies.length > 0) found.push(day)
  }
  return found
}

describe('a writer of a shared store that is killed', () => {
  test.each([
    ['inside 2020-08-01', 0],
    ['inside 2020-08-03', 2],
    ['after 2020-08-04', 4],
    ['inside manifest', 4],
    ['after manifest', 4],
  ])('%s leaves %i whole files, no half one, and the same command again adds the rest', async (step, whole) => {
    const contents = someContents()
    const [store, folder] = [temporaryFolder(), filesOf(contents, days)]
    expect(await publish(store, folder, 'desk-a', step)).toBe('SIGKILL')
    expect(await readableDays(store, contents)).toEqual(days.slice(0, whole))
    const again = JSON.parse(await publish(store, folder, 'desk-a')) as object
    expect(again).toMatchObject({ published: days.length - whole, rewritten: 0, there: whole, problems: [] })
    expect(await readableDays(store, contents)).toEqual(days)
    const names = readdirSync(store, { recursive: true, encoding: 'utf8' })
    expect(names.filter((name) => name.endsWith('.parquet'))).toHaveLength(days.length)
    expect(names.filter((name) => name.endsWith('.part')).length).toBe(step.startsWith('inside') ? 1 : 0)
  })

  test('keeps nobody out: another writer publishes meanwhile, and readers have the union', async () => {
    const contents = someContents()
    const store = temporaryFolder()
    const mine = filesOf(contents, days.slice(0, 3))
    const theirs = filesOf(contents, days.slice(1))
    const ends = await Promise.all([
      publish(store, mine, 'desk-a', 'inside manifest'),
      publish(store, theirs, 'desk-b', 'inside 2020-08-04'),
    ])
    expect(ends).toEqual(['SIGKILL', 'SIGKILL'])
    const found = await readableDays(store, contents)
    expect(found).toEqual(expect.arrayContaining(days.slice(0, 3)))
    await Promise.all([publish(store, mine, 'desk-a'), publish(store, theirs, 'desk-b')])
    expect(await readableDays(store, contents)).toEqual(days)
    const names = readdirSync(store, { recursive: true, encoding: 'utf8' })
    expect(names.filter((name) => name.endsWith('.json'))).toHaveLength(2)
  })
})
