import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'
import { useWriteAheadLog } from '#core/store/writeAheadLog.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

/**
 * Program that writes to a new database and holds its lock for a while, like another process that opens the folder at
 * the same time.
 */
const otherProcess = `
  const { parentPort, workerData } = require('node:worker_threads')
  const database = new (require('better-sqlite3'))(workerData)
  database.exec('BEGIN IMMEDIATE; CREATE TABLE t (a)')
  parentPort.postMessage('locked')
  setTimeout(() => { database.exec('COMMIT'); database.close() }, 200)
`

it('waits for another process that writes to the new database, and no longer than it was told', async () => {
  const path = join(temporaryFolder(), 'new.sqlite')
  const other = new Worker(otherProcess, { eval: true, workerData: path })
  await once(other, 'message')
  const database = new Sqlite(path, { timeout: 5000 })
  try {
    expect(() => useWriteAheadLog(database, 0)).toThrow('database is locked')
    useWriteAheadLog(database, 30_000)
    expect(database.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(database.prepare('SELECT count(*) AS rows FROM t').get()).toEqual({ rows: 0 })
  } finally {
    database.close()
    await once(other, 'exit')
  }
})
