import { failureText, usageText } from '../text/messages.ts'
import { sandboxText as text } from '../text/commands.ts'
import { announcementLines, announcementOf } from '../../sandbox/announcement.ts'
import { FaultsError, parseFaults, type Faults } from '../../sandbox/faults/faults.ts'
import { parseVenues, type SandboxVenue, VenuesError } from '../../sandbox/market/venues.ts'
import { startSandbox } from '../../sandbox/server.ts'
import { soleAction, exit, type CliCommand } from '../command.ts'
import { portOption } from '../seriesOptions.ts'
import { Failure } from '../failure.ts'
import { UsageError } from '../usageError.ts'

function parseNow(text: string | undefined): number | null {
  if (text === undefined) return null
  const nowMs = Date.parse(text)
  if (Number.isNaN(nowMs)) throw new UsageError(usageText.notTime('now', text))
  return nowMs
}

function parseFaultsText(text: string | undefined): Faults {
  if (text === undefined) return {}
  try {
    return parseFaults(JSON.parse(text))
  } catch (thrown) {
    if (thrown instanceof FaultsError) throw new UsageError(usageText.badFaults(thrown.message))
    throw new UsageError(usageText.faultsNotJson)
  }
}

function parseVenuesText(text: string): SandboxVenue[] {
  try {
    return parseVenues(text)
  } catch (thrown) {
    if (thrown instanceof VenuesError) throw new UsageError(usageText.badVenues(thrown.message))
    throw thrown
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

export const command: CliCommand = {
  verb: 'sandbox',
  summary: text.summary,
  description: text.description,
  examples: [
    'perpscope sandbox --port 8900',
    'perpscope sandbox --now 2026-09-15T12:00:00Z --json',
    "perpscope sandbox --venues 'wren-futures,short=wren,sizes=base;heron-perps,sizes=contracts'",
    'perpscope sandbox --faults \'{"rules":[{"status":503,"chance":0.2,"retryAfter":1}]}\'',
  ],
  actions: [
    soleAction({
      summary: text.run.summary,
      options: {
        port: portOption(text.run.options.port),
        now: { type: 'text', value: 'ISO', description: text.run.options.now },
        venues: { type: 'text', value: 'VENUES', description: text.run.options.venues },
        seed: {
          type: 'integer',
          value: 'N',
          min: 0,
          max: 2_147_483_647,
          description: text.run.options.seed,
        },
        faults: { type: 'text', value: 'JSON', description: text.run.options.faults },
      },
      async run({ options: { port = 0, now, seed = 1, venues, faults }, out, signal }) {
        const settings = {
          port,
          seed,
          ...(venues !== undefined && { venues: parseVenuesText(venues) }),
          nowMs: parseNow(now),
          faults: parseFaultsText(faults),
        }
        const sandbox = await startSandbox(settings).catch((thrown: NodeJS.ErrnoException) => {
          if (thrown.code === 'EADDRINUSE') throw new Failure(failureText.portTaken(port))
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
