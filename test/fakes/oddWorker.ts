/** A thread for tests of the pool: answers with what the task's word asks for. */
import { threadId } from 'node:worker_threads'
import { AppError } from '#shared/contract/errors.ts'
import { answerTasks } from '#core/readers/answerTasks.ts'

answerTasks<string, { word: string; threadId: number; bytes: Uint8Array }>(
  (word) => {
    if (word === 'die') process.exit(3)
    if (word === 'refuse') throw new AppError('corrupt-file', 'the file of the test.')
    if (word === 'trip') throw new TypeError('a secret path')
    for (; word === 'forever';);
    return { word, threadId, bytes: new Uint8Array(1000) }
  },
  ({ bytes }) => [bytes.buffer as ArrayBuffer],
)
