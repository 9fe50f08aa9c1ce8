/**
 * Writes runs to the ledger of a data folder and prints the hash of each. Arguments: data folder, number of runs
 * (default: until killed), first number of the runs' values, and the step of the second run before which the process
 * kills itself.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import Sqlite from 'better-sqlite3'
import { openLedger } from '#core/store/ledger/ledger.ts'
import { systemClock } from '#core/ports.ts'
import { runDraft } from './ledgerRuns.ts'

const [dataDir, runCount = 'Infinity', from = '0', killStep = ''] = process.argv.slice(2)
let steps = NaN

/**
 * Counts the calls of a method and kills the process before the given step; a `writeSync` first writes half of its
 * bytes.
 */
function count<Name extends string>(owner: Record<Name, (...args: never[]) => unknown>, name: Name): void {
  const called = owner[name]
  owner[name] = function (this: unknown, ...args: never[]) {
    steps++
    if (String(steps) === killStep) {
      const [file, bytes, from, length, place] = args as unknown as [number, Buffer, number, number, number]
      if (name === 'writeSync' && length > 1) called.apply(this, [file, bytes, from, length >> 1, place] as never[])
      process.kill(process.pid, 'SIGKILL')
    }
    return called.apply(this, args)
  }
}

if (killStep !== '') {
  for (const name of ['openSync', 'writeSync', 'fsyncSync', 'fdatasyncSync', 'ftruncateSync', 'closeSync'])
    count(fs as never, name)
  syncBuiltinESMExports()
  const statement = new Sqlite(':memory:').prepare('SELECT 1')
  for (const name of ['run', 'get', 'all']) count(Object.getPrototypeOf(statement) as never, name)
}

const ledger = openLedger({ dataDir, clock: systemClock, log: { write: () => {} } })
for (let at = 0; at < Number(runCount); at++) {
  if (at === 1) steps = 0
  const [entry] = ledger.append([runDraft({ feeBps: (Number(from) + at) % 1000, returns: [at, Number(from)] })], 'cli')
  process.stdout.write(`${entry.hash}\n`)
}
if (killStep !== '') process.stdout.write(`${steps} steps\n`)
ledger.close()
