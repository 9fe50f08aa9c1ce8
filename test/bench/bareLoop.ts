/**
 * Measures what the machine can do with as little work as possible: `bareLoop.ts <url> <files> <concurrency>` downloads
 * the files into each folder that a message names, writes and syncs them and records each in a database, without hash,
 * validation or queue. It answers with the milliseconds.
 */
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Pool } from 'undici'
import { millisecondsOf } from './benchLine.ts'

const ROWS_AT_ONCE = 64

const [url, files, atOnce] = process.argv.slice(2)
const pool = new Pool(url, { connections: Number(atOnce) })

function openIndex(folder: string) {
  const database = new Database(join(folder, 'index.sqlite'))
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.exec('CREATE TABLE files (name TEXT PRIMARY KEY, size_bytes INTEGER)')
  const insert = database.prepare('INSERT INTO files VALUES (?, ?)')
  let pendingRows: [string, number][] = []
  const write = database.transaction((rows: [string, number][]) => rows.forEach((row) => insert.run(...row)))
  const flush = () => {
    write(pendingRows)
    pendingRows = []
  }
  return {
    note(name: string, sizeBytes: number) {
      pendingRows.push([name, sizeBytes])
      if (pendingRows.length >= ROWS_AT_ONCE) flush()
    },
    close() {
      flush()
      database.close()
    },
  }
}

async function store(path: string, parts: Uint8Array[]): Promise<void> {
  const file = await open(`${path}.part`, 'w')
  await file.writev(parts)
  await file.datasync()
  await file.close()
  await rename(`${path}.part`, path)
}

async function fetchInto(folder: string): Promise<void> {
  const index = openIndex(folder)
  let next = 0
  /** Downloads files one after the other and stores each while the next one arrives. */
  async function work(): Promise<void> {
    let stored = Promise.resolve()
    while (next < Number(files)) {
      const name = `${next++}.parquet`
      const { body } = await pool.request({ path: `/file/${name}`, method: 'GET' })
      const parts: Uint8Array[] = []
      for await (const part of body) parts.push(part as Uint8Array)
      await stored
      stored = store(join(folder, name), parts).then(() =>
        index.note(
          name,
          parts.reduce((sum, { length }) => sum + length, 0),
        ),
      )
    }
    await stored
  }
  await Promise.all(Array.from({ length: Number(atOnce) }, work))
  index.close()
}

process.on('message', (folder: string) => {
  // An unhandled rejection ends this process, so the benchmark notices a failure.
  void millisecondsOf(() => fetchInto(folder)).then((tookMs) => process.send!(tookMs))
})
