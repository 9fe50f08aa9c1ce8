/**
 * Competes for the lease. Arguments: data folder, name of the holder. Prints `waiting`, `taken`, `lost`; any input ends
 * the process.
 */
import { systemClock } from '#core/ports.ts'
import { createLease, renewLease } from '#core/store/lease.ts'
import { openStore } from '#core/store/store.ts'

const [dataDir, holder] = process.argv.slice(2)
const log = { write: () => {} }
const say = (word: string) => process.stdout.write(`${word}\n`)

const store = openStore({ dataDir, clock: systemClock, log })
const lease = createLease({ database: store.database, clock: systemClock, name: 'queue', holder })
const keeper = renewLease({ lease, log, everyMs: 30, onTaken: () => say('taken'), onLost: () => say('lost') })
if (!keeper.isHeld()) say('waiting')

process.stdin.on('data', () => {
  keeper.stop()
  store.close()
  process.exit(0)
})
