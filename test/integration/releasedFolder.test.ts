import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '#shared/contract/client.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import { createApp } from '#core/app.ts'
import { run } from '../../electron/cli/run.ts'
import { unpackFolder } from '../../scripts/dataFolder/archive.mjs'
import { comparableOutput, readingCommands } from '../../scripts/dataFolder/readings.mjs'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'

interface Expected {
  known: { overlays: string[]; regimes: string[] }
  commands: { args: string[]; output: unknown }[]
  settings: unknown
  workspaces: { id: string; name: string; revision: number; document: unknown }[]
  snapshots: unknown
  computed: { name: string; values: number[] }[]
}

const fixture = (name: string) => join(import.meta.dirname, '..', 'fixtures', 'dataFolders', name)
const expected = JSON.parse(readFileSync(fixture('0.1.0.expected.json'), 'utf8')) as Expected

const folders: string[] = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** Returns a copy of the data folder that version 0.1.0 filled (scripts/dataFolder.mjs). */
function releasedFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-released-'))
  folders.push(folder)
  unpackFolder(readFileSync(fixture('0.1.0.gz')), folder)
  return folder
}

async function perpscope(dataDir: string, args: readonly string[]) {
  let [stdout, stderr] = ['', '']
  const status = await run(['--data-dir', dataDir, ...args, '--offline', '--json'], {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    env: { PERPSCOPE_API_KEY: 'sandbox-tier-3' },
    signal: new AbortController().signal,
  })
  return { status, stdout, stderr }
}

/**
 * Fields that later versions add: the engine that computed a file, and the shared store that it came from; each is null
 * for data of 0.1.0.
 */
const addedFields = ['computedBy', 'difference', 'store', 'storeProblem']
/** Fields that later versions add to answers which had none of that name. */
const newFields = ['bytes', 'gaps', 'catalog']

/** Removes what later versions add: these fields and, in the output of `ls`, computed files. */
function withoutAdditions(output: unknown, before: unknown): unknown {
  if (Array.isArray(output)) {
    const had = [before].flat()
    return output.filter((each) => !isComputed(each)).map((each, at) => withoutAdditions(each, had[at]))
  }
  if (typeof output !== 'object' || output === null) return output
  const had = (before ?? {}) as Record<string, unknown>
  const isAdded = (name: string) => addedFields.includes(name) || (newFields.includes(name) && !(name in had))
  for (const name of addedFields) expect((output as Record<string, unknown>)[name] ?? null, name).toBeNull()
  const kept = Object.entries(output).filter(([name]) => !isAdded(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutAdditions(value, had[name])]))
}

const isComputed = (each: unknown) =>
  typeof each === 'object' && each !== null && 'origin' in each && each.origin === 'computed'

async function withWindow<Result>(dataDir: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const app = createApp(fakePorts(), { version: '9.8.7', dataDir, offline: true })
  try {
    return await work(app.clientFor(fakeHost()))
  } finally {
    await app.close()
  }
}

describe('a data folder of 0.1.0', () => {
  let dataDir: string
  beforeAll(() => {
    dataDir = releasedFolder()
  })

  it('contains what the commands below read', () => {
    expect(expected.commands.map(({ args }) => args)).toEqual(readingCommands(expected.known))
  })

  it.each(expected.commands)('answers $args as before', async ({ args, output }) => {
    const { status, stdout, stderr } = await perpscope(dataDir, args)
    expect(status, stderr).toBe(0)
    const before = comparableOutput(JSON.stringify(output), dataDir)
    const now = withoutAdditions(comparableOutput(stdout, dataDir), before)
    // Output of a single line is parsed as an object instead of an array.
    if (args[0] === 'ls') expect([now].flat()).toEqual([before].flat())
    else expect(now).toEqual(args[0] === 'verify' ? { ...(before as object), takenIn: 0 } : before)
  })

  it('has its settings', async () => {
    const settings = await withWindow(dataDir, (client) => client.call('settings.read', {}))
    expect(settings).toMatchObject(expected.settings as object)
  })

  it('has its workspaces, each document as it was', async () => {
    const workspaces = await withWindow(dataDir, async (client) => {
      const listed = await client.call('documents.list', { kind: 'workspace' })
      return Promise.all(listed.map(({ id }) => client.call('documents.read', { kind: 'workspace', id })))
    })
    expect(workspaces).toEqual(expected.workspaces)
  })

  it('has its snapshots of portfolio answers, and its computed series', async () => {
    await withWindow(dataDir, async (client) => {
      const connections = await client.call('connections.list', {})
      const connectionId = String(connections.find(({ name }) => name === 'desk')?.id)
      const request = { endpoint: 'weights' as const, portfolio: 'momentum_ls.20', asOf: 'latest' as const }
      expect(await client.call('portfolio.snapshots', { connectionId, request, limit: 100 })).toEqual(
        expected.snapshots,
      )
      const { rows } = await client.call('series.read', {
        ...{ connectionId: computedOwner(connectionId), dataset: 'ohlcv', columns: ['close'] },
        ...{
          exchange: 'venuea-futures',
          symbol: 'perpetual-BTC-USDT:USDT',
          interval: '1h',
          timestamp: 'exchange' as const,
        },
        ...{ startMs: Date.parse('2026-09-01'), endMs: Date.parse('2026-09-03') },
      })
      const computed = rows.columns.map(({ name, values }) => ({ name, values: Array.from(values, Number) }))
      expect(computed).toEqual(expected.computed)
    })
  })
})

describe('opening a data folder of 0.1.0', () => {
  it('rewrites no row and no file', async () => {
    const dataDir = releasedFolder()
    const before = { rows: rowsOf(dataDir), files: filesOf(dataDir) }
    await withWindow(dataDir, async (client) => {
      await client.call('settings.read', {})
      await client.call('connections.list', {})
      await client.call('documents.list', { kind: 'workspace' })
      await client.call('downloads.list', { filter: {}, offset: 0, limit: 100 })
    })
    expect(rowsOf(dataDir, before.rows)).toEqual(before.rows)
    expect(filesOf(dataDir)).toEqual(before.files)
  })
})

interface Rows {
  table: string
  columns: string[]
  rows: unknown[]
}

/**
 * Returns the rows of all tables except leases; with `earlier`, only of the tables and columns that are listed there.
 */
function rowsOf(dataDir: string, earlier?: readonly Rows[]): Rows[] {
  const database = new Sqlite(join(dataDir, 'perpscope.sqlite'), { readonly: true })
  try {
    const names = (sql: string, ...values: string[]) =>
      database
        .prepare(sql)
        .pluck()
        .all(...values) as string[]
    const tables = names("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'leases' ORDER BY name")
    const selections =
      earlier ?? tables.map((table) => ({ table, columns: names('SELECT name FROM pragma_table_info(?)', table) }))
    return selections.map(({ table, columns }) => ({
      table,
      columns,
      rows: database
        .prepare(`SELECT ${columns.join(', ')} FROM ${table} ORDER BY ${columns.map((_, at) => at + 1).join(', ')}`)
        .raw()
        .all(),
    }))
  } finally {
    database.close()
  }
}

/** Returns the checksums of all files except the index, the log and the room that is kept for opening the index. */
const filesOf = (dataDir: string): [path: string, sha256: string][] =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.sqlite(-\w+)?$|\.log$|^spare-room$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => [path.slice(dataDir.length), createHash('sha256').update(readFileSync(path)).digest('hex')])
