import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { systemClock } from '#core/ports.ts'
import { openLedger } from '#core/store/ledger/ledger.ts'
import { compileCacheEnv } from '../fakes/compileCacheEnv.ts'
import { runDraft } from '../fakes/ledgerRuns.ts'
import { openTestLedger } from '../fakes/openTestLedger.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const script = fileURLToPath(new URL('../fakes/ledgerProcess.ts', import.meta.url))

const KILLED_TOGETHER = 4

/** Starts a process that writes runs and prints the hash of each run once it is recorded. */
function startWriter(...args: string[]) {
  const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, ...compileCacheEnv } })
  const shown: string[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    shown.push(...lines)
  })
  // Unlike the exit, the close waits until all that the process printed has been read.
  return { child, shown, exited: once(child, 'close') }
}

describe('the ledger of several processes', () => {
  it('keeps one chain where two write at once', async () => {
    const folder = temporaryFolder()
    const writers = [startWriter(folder, '25', '0'), startWriter(folder, '25', '500')]
    await Promise.all(writers.map(({ exited }) => exited))
    const ledger = openTestLedger(folder)
    const hashes = new Set([...ledger.tables.entries()].map(({ entry }) => entry.hash))
    expect(ledger.verify()).toBeNull()
    expect(hashes.size).toBe(50)
    expect(ledger.tables.last()?.sequence).toBe(50)
    for (const { shown } of writers) expect(shown.every((hash) => hashes.has(hash))).toBe(true)
    expect(readFileSync(join(folder, 'ledger.jsonl'), 'utf8').trimEnd().split('\n')).toHaveLength(50)
  })

  // Only Linux lists file locks. Without a lock, a program with SQLite before 3.51 removes the log of the database.
  it.runIf(existsSync('/proc/locks'))('stays locked while it is open, also after a second opening for one read', () => {
    const folder = temporaryFolder()
    const first = openTestLedger(folder)
    first.append([runDraft({ feeBps: 1 })], 'cli')
    const { ino } = statSync(join(folder, 'ledger.sqlite'))
    const isLocked = () => readFileSync('/proc/locks', 'utf8').includes(`:${ino} `)
    expect(isLocked()).toBe(true)
    openLedger({ dataDir: folder, clock: systemClock, log: { write: () => {} } }).close()
    expect(isLocked()).toBe(true)
  })

  it('loses nothing that was shown when a process is killed', async () => {
    const folder = temporaryFolder()
    let shown: string[] = []
    for (const kills of [3, 11, 27]) {
      const writer = startWriter(folder, '100000', String(kills))
      await new Promise<void>((resolve) => {
        writer.child.stdout.on('data', () => {
          if (writer.shown.length >= kills) resolve()
        })
      })
      writer.child.kill('SIGKILL')
      await writer.exited
      shown = [...shown, ...writer.shown]
    }
    const ledger = openTestLedger(folder)
    const hashes = new Set([...ledger.tables.entries()].map(({ entry }) => entry.hash))
    expect(shown.length).toBeGreaterThanOrEqual(41)
    expect(shown.filter((hash) => !hashes.has(hash))).toEqual([])
    expect(ledger.verify()).toBeNull()
    expect(ledger.lost()).toBeNull()
  })

  it('loses nothing that was shown wherever in an append a process is killed', async () => {
    const counted = startWriter(temporaryFolder(), '2', '0', 'never')
    await counted.exited
    const steps = Number(/^(\d+) steps$/.exec(counted.shown.at(-1) ?? '')?.[1])
    // An append takes a lock, writes rows, writes and syncs the copy, and commits.
    expect(steps).toBeGreaterThan(10)
    const killAtStep = async (step: number) => {
      const folder = temporaryFolder()
      const writer = startWriter(folder, '2', '0', String(step))
      const [, signal] = (await writer.exited) as [number | null, string | null]
      const ledger = openTestLedger(folder)
      const hashes = [...ledger.tables.entries()].map(({ entry }) => entry.hash)
      expect({ step, signal, shown: writer.shown.length }).toEqual({ step, signal: 'SIGKILL', shown: 1 })
      expect(hashes, `shown before step ${step}`).toContain(writer.shown[0])
      expect({ step, broken: ledger.verify(), lost: ledger.lost() }).toEqual({ step, broken: null, lost: null })
      return hashes.length
    }
    const kept: number[] = []
    for (let step = 1; step <= steps; step += KILLED_TOGETHER) {
      const together = Array.from({ length: Math.min(KILLED_TOGETHER, steps + 1 - step) }, (_, at) => step + at)
      kept.push(...(await Promise.all(together.map(killAtStep))))
    }
    // The interrupted append is either whole or absent: absent if the process is killed before the copy has its line,
    // whole otherwise.
    expect(kept.toSorted()).toEqual(kept)
    expect(new Set(kept)).toEqual(new Set([1, 2]))
  }, 60_000)
})
