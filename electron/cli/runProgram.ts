import { closedPipe, exit, type ExitStatus } from './command.ts'
import { run } from './run.ts'

/** A terminal and a parent process may both pass on the same key press. */
const SAME_PRESS_MS = 500
/** For what has to be put in order before an end that nobody waits for. */
const LAST_WORDS_MS = 2000

/** The command line as a process: its signals, its streams, its exit status. */
export async function runProgram(argv: readonly string[]): Promise<ExitStatus> {
  const interruption = new AbortController()
  let interruptedAtMs = 0

  /** The first signal asks, a later one insists. */
  function interrupt(signal: 'SIGINT' | 'SIGTERM'): void {
    const nowMs = performance.now()
    if (!interruption.signal.aborted) {
      interruptedAtMs = nowMs
      interruption.abort(signal)
    } else if (nowMs - interruptedAtMs > SAME_PRESS_MS) process.exit(exit.interrupted)
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)

  // Whoever reads our output may stop early (`perpscope ls | head`): then there is nothing left to do.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (interruption.signal.reason === closedPipe) return
    if (error.code !== 'EPIPE') throw error
    interruption.abort(closedPipe)
    setTimeout(() => process.exit(exit.done), LAST_WORDS_MS).unref()
  })
  // Words that nobody reads are no reason to give up the work.
  process.stderr.on('error', () => {})

  const { stdout, stderr, env } = process
  const status = await run(argv, { stdout, stderr, env, signal: interruption.signal })
  if (interruption.signal.reason === closedPipe) return status === exit.interrupted ? exit.done : status
  return interruption.signal.reason === 'SIGINT' ? exit.interrupted : status
}
