import { announcementLines, announcementOf } from '../../sandbox/announcement.ts'
import { FaultsError, parseFaults, type Faults } from '../../sandbox/faults/faults.ts'
import { startSandbox } from '../../sandbox/server.ts'
import { action, exit, type Command } from '../command.ts'
import { Failure } from '../failure.ts'
import { UsageError } from '../usageError.ts'

function parseNow(text: string | undefined): number | null {
  if (text === undefined) return null
  const nowMs = Date.parse(text)
  if (Number.isNaN(nowMs)) throw new UsageError(`--now must be a time such as 2026-09-15T12:00:00Z, not “${text}”.`)
  return nowMs
}

function parseFaultsText(text: string | undefined): Faults {
  if (text === undefined) return {}
  try {
    return parseFaults(JSON.parse(text))
  } catch (thrown) {
    if (thrown instanceof FaultsError) throw new UsageError(`--faults: ${thrown.message}.`)
    throw new UsageError('--faults must be JSON, such as {"rules":[{"on":"storage","cutAfterBytes":1000}]}.')
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

export const command: Command = {
  verb: 'sandbox',
  summary: 'run the sandbox: all services on this machine, with a synthetic market',
  description: [
    'Serves the metrics service, the portfolio service and the catalog of raw events on 127.0.0.1 until it is interrupted. Everything in it follows from the seed; nothing is fetched. With --json, one document with the address, the keys, the catalog and the known portfolios, factors, overlays and regimes takes the place of the lines.',
    'Raw files are listed by GET /api/v1/raw/files?dataset=&exchange=&symbol=&start_date=&end_date= (dates included), which answers {"files":[{"period","year","month","day"?,"url"}],"missing_periods":[…]}.',
    'Faults are JSON: {"rules":[…]} spoil single answers, each rule with any of on ("api" or "storage"), path, skip, times, chance, and of latencyMs, bytesPerSecond, status, retryAfter, retryAfterDate, html, cutAfterBytes, stallAfterBytes, corrupt, lengthOffset, expired, redirect, drop, noEtag. Beside rules: errorBody, rejectKeys, tierCap, linkLifetimeSeconds, files (duplicates, unsorted, nonFinite, extraColumn, time), republished, bothPartitions, unknownDataset, jsonNaN, historyEndsDaysAgo.',
    'While it runs, programs of this machine may GET /sandbox/status, PUT faults to /sandbox/faults and PUT {"now": ISO or null} to /sandbox/clock.',
  ],
  examples: [
    'perpscope sandbox --port 8900',
    'perpscope sandbox --now 2026-09-15T12:00:00Z --json',
    'perpscope sandbox --faults \'{"rules":[{"status":503,"chance":0.2,"retryAfter":1}]}\'',
  ],
  actions: [
    action({
      name: '',
      summary: 'run the sandbox',
      options: {
        port: { type: 'integer', value: 'N', min: 0, max: 65_535, description: 'The port; any free one if left out.' },
        now: { type: 'text', value: 'ISO', description: 'Fixes the clock; it follows this machine’s if left out.' },
        seed: {
          type: 'integer',
          value: 'N',
          min: 0,
          max: 2_147_483_647,
          description: 'Another market; 1 if left out.',
        },
        faults: { type: 'text', value: 'JSON', description: 'What is to go wrong.' },
      },
      async run({ options: { port = 0, now, seed = 1, faults }, out, signal }) {
        const settings = { port, seed, nowMs: parseNow(now), faults: parseFaultsText(faults) }
        const sandbox = await startSandbox(settings).catch((thrown: NodeJS.ErrnoException) => {
          if (thrown.code === 'EADDRINUSE') throw new Failure(`Port ${port} is taken; choose another with --port.`)
          throw thrown
        })
        try {
          const announcement = announcementOf(sandbox)
          out.result(announcement, () => announcementLines(announcement))
          await untilAborted(signal)
        } finally {
          await sandbox.close()
        }
        return exit.done
      },
    }),
  ],
}
