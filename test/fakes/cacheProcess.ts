/**
 * Empties (`prune`) or repairs (`repair`) the data folder given as an argument; prints `at work` after its first
 * change.
 */
import { systemClock } from '#core/ports.ts'
import { createCache } from '#core/cache/cache.ts'
import { createValidationPool } from '#core/downloads/validationPool.ts'
import { openStore } from '#core/store/store.ts'

const [dataDir, work] = process.argv.slice(2)
const store = openStore({ dataDir, clock: systemClock, log: { write: () => {} } })
const pool = createValidationPool(2)
const cache = createCache({ store, dataDir, clock: systemClock, validation: pool })
const { signal } = new AbortController()
let hasReported = false
const onProgress = ({ done }: { done: number }) => {
  if (done > 0 && !hasReported) process.stdout.write('at work\n')
  hasReported ||= done > 0
}
if (work === 'prune') await cache.makeRoom(0, { signal, onProgress })
else await cache.verify({ repair: true, signal, onProgress })
await pool.close()
store.close()
process.stdout.write('finished\n')
