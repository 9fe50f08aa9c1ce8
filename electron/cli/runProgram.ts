import { terminalText } from '#shared/units/terminalText.ts'
import { takeEnvironmentSecrets } from '#core/environmentSecrets.ts'
import type { Ports } from '#core/ports.ts'
import { closedPipe, exit, type ExitStatus } from './command.ts'
import { run } from './run.ts'
import { failureText } from './text/messages.ts'

/** Time within which two signals count as one: a terminal and a parent process may both pass on the same key press. */
const SAME_PRESS_MS = 500
/** Time that the run has to finish after the reader of stdout has closed the pipe. */
const FINISH_WRITING_MS = 2000

/**
 * Runs the command line with the signals, streams and environment of this process. Electron passes its own function to
 * start guarded processes.
 */
export async function runProgram(
  argv: readonly string[],
  ports: Pick<Ports, 'startProcess'> = {},
): Promise<ExitStatus> {
  const interruption = new AbortController()
  let interruptedAtMs = 0

  /** Aborts the run on the first signal and exits immediately on a later one. */
  function interrupt(signal: 'SIGINT' | 'SIGTERM'): void {
    const nowMs = performance.now()
    if (!interruption.signal.aborted) {
      interruptedAtMs = nowMs
      interruption.abort(signal)
    } else if (nowMs - interruptedAtMs > SAME_PRESS_MS) process.exit(exit.interrupted)
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)

  // A reader of stdout that stops early (`perpscope ls | head`) ends the run.
  let outputFailure: Error | null = null
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (interruption.signal.reason === closedPipe || outputFailure) return
    if (error.code !== 'EPIPE') {
      outputFailure = error
      interruption.abort(error)
      return
    }
    interruption.abort(closedPipe)
    setTimeout(() => process.exit(exit.done), FINISH_WRITING_MS).unref()
  })
  // A closed stderr does not end the run.
  process.stderr.on('error', () => {})

  const { stdout, stderr } = process
  // The secrets are removed from `process.env`, because child processes inherit that environment.
  const env = { ...process.env }
  takeEnvironmentSecrets()
  const status = await run(argv, { stdout, stderr, env, signal: interruption.signal, ...ports })
  await untilFlushed(stdout)
  if (outputFailure) {
    stderr.write(`${terminalText(failureText.outputNotWritten(outputFailure))}\n`)
    await untilFlushed(stderr)
    return exit.failed
  }
  await untilFlushed(stderr)
  if (interruption.signal.reason === closedPipe) return status === exit.interrupted ? exit.done : status
  return interruption.signal.reason === 'SIGINT' ? exit.interrupted : status
}

/** Exit status of a program that failed. */
export const FAILED = exit.failed

/** Waits until a stream is flushed; an immediate exit would lose what the reader of a pipe has not taken yet. */
const untilFlushed = (stream: NodeJS.WriteStream) =>
  new Promise<void>((resolve) => void stream.write('', () => resolve()))
