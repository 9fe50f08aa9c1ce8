import { constants } from 'node:os'
import { exit } from './command.ts'
import { run } from './run.ts'

const interruption = new AbortController()

/** The first signal asks, the second one insists. */
function interrupt(signal: 'SIGINT' | 'SIGTERM'): void {
  if (interruption.signal.aborted) process.exit(exit.interrupted)
  interruption.abort(signal)
}
process.on('SIGINT', interrupt)
process.on('SIGTERM', interrupt)

// Whoever reads our output may stop early (`perpscope ls | head`): then there is nothing left to do.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exit.done)
  throw error
})

const { stdout, stderr, env } = process
const status = await run(process.argv.slice(2), { stdout, stderr, env, signal: interruption.signal })
process.exitCode = interruption.signal.reason === 'SIGINT' ? 128 + constants.signals.SIGINT : status
