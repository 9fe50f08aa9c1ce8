import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { afterAll, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { available, peerEnvironment, type RunPython } from './peer.ts'

/** Python program with one Spark session; the tests of a file send it their programs one after the other. */
interface Session {
  child: ChildProcessByStdio<Writable, Readable, Readable>
  answers: AsyncIterator<string>
  /** Returns the end of what the program has written to stderr. */
  errorOutput(): string
}

let session: Session | null = null

function startSession(python: string): Session {
  const child = spawn(python, [join(import.meta.dirname, 'sparkSession.py')], {
    env: peerEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let errorOutput = ''
  child.stderr.on('data', (chunk: Buffer) => (errorOutput = (errorOutput + chunk.toString()).slice(-4000)))
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  return { child, answers, errorOutput: () => errorOutput }
}

/** Ends the session's Python program; Spark ends with it. */
async function endSession(): Promise<void> {
  const child = session?.child
  session = null
  if (!child || child.exitCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

afterAll(endSession)

const runnerIn =
  (python: string): RunPython =>
  async (program, cwd = temporaryFolder()) => {
    const { child, answers, errorOutput } = (session ??= startSession(python))
    let isAnswered = false
    // The session ends if the test stops waiting, so that the next test does not receive this test's answer.
    onTestFinished(() => (isAnswered ? undefined : endSession()))
    child.stdin.write(`${JSON.stringify({ program, cwd })}\n`)
    const { value } = (await answers.next()) as IteratorResult<string, undefined>
    if (value === undefined) throw new Error(`The Spark session ended: ${errorOutput()}`)
    isAnswered = true
    const { printed, error } = JSON.parse(value) as { printed?: string; error?: string }
    if (printed === undefined) throw new Error(error)
    return JSON.parse(printed)
  }

/**
 * Defines a test that runs a proof with Spark, which is started once per file; without the peer it is skipped with the
 * reason.
 */
export function proveSpark(name: string, proof: (run: RunPython) => Promise<void>): void {
  test(`pyspark: ${name}`, async (context) => {
    const { python, label } = available(context, 'pyspark')
    if (!python) return context.skip(`${label} (there is no Python 3)`)
    await proof(runnerIn(python))
  })
}
