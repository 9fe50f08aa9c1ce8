/** Writes runs to the ledger of the data folder given as argument until it is killed, or as many as the second argument says. */
import { openLedger } from '#core/store/ledger/ledger.ts'
import { systemClock } from '#core/ports.ts'
import { runDraft } from './ledgerRuns.ts'

const [dataDir, most = 'Infinity', from = '0'] = process.argv.slice(2)
const ledger = openLedger({ dataDir, clock: systemClock, log: { write: () => {} } })
for (let at = 0; at < Number(most); at++) {
  const [entry] = ledger.append([runDraft({ feeBps: (Number(from) + at) % 1000, returns: [at, Number(from)] })], 'cli')
  process.stdout.write(`${entry.hash}\n`)
}
ledger.close()
