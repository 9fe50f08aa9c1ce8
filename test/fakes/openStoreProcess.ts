/** Opens the data folder given as an argument and prints `opened`, or the code and message of the error. */
import { AppError } from '#shared/contract/errors.ts'
import { systemClock } from '#core/ports.ts'
import { openStore } from '#core/store/store.ts'

try {
  const store = openStore({ dataDir: process.argv[2], clock: systemClock, log: { write: () => {} } })
  store.settings.change({ theme: 'dark' })
  process.stdout.write('opened\n')
  store.close()
} catch (thrown) {
  process.stdout.write(
    thrown instanceof AppError ? `${thrown.code}: ${thrown.message}\n` : `other: ${String(thrown)}\n`,
  )
}
