/** Runs a worker for tests of the thread pool. The worker behaves or misbehaves as its task says. */
import { writeFileSync } from 'node:fs'
import { threadId } from 'node:worker_threads'
import { AppError } from '#shared/contract/errors.ts'
import { answerTasks } from '#core/threads/answerTasks.ts'

/** Tasks that wait for another task of the same thread. */
const meeting: (() => void)[] = []

answerTasks<string, { word: string; threadId: number; bytes: Uint8Array }>(
  async (word) => {
    if (word === 'die') process.exit(3)
    if (word === 'refuse') throw new AppError('corrupt-file', 'the file of the test.')
    if (word === 'trip') throw new TypeError('a secret path')
    for (; word === 'forever';);
    if (word.startsWith('write ')) writeSlowly(word.slice('write '.length))
    if (word.startsWith('meet')) await meetAnotherTask()
    return { word, threadId, bytes: new Uint8Array(1000) }
  },
  ({ bytes }) => [bytes.buffer as ArrayBuffer],
)

function writeSlowly(path: string): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  writeFileSync(path, '')
}

/** Waits until the same thread has received a second task. */
async function meetAnotherTask(): Promise<void> {
  for (const go of meeting.splice(0)) return go()
  await new Promise<void>((resolve) => meeting.push(resolve))
}
