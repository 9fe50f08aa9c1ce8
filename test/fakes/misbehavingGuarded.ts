/** Runs a guarded process for tests of the guard. The process behaves or misbehaves as its task says. */
import { pbkdf2 } from 'node:crypto'
import { AppError } from '#shared/contract/errors.ts'
import { answerGuarded } from '#core/guard/answerGuarded.ts'

const kept: Uint8Array[] = []

answerGuarded<string, { word: string; pid: number; environment: string }>((word, onProgress) => {
  if (word === 'abort') process.abort()
  if (word === 'exit') process.exit(3)
  if (word === 'refuse') throw new AppError('corrupt-file', 'the file of the test.')
  for (; word === 'forever';);
  for (; word === 'memory';) kept.push(new Uint8Array(2 ** 23).fill(1))
  if (word === 'grow') kept.push(new Uint8Array(300 * 2 ** 20).fill(1))
  // Like a query, the work runs on a thread for which `process.exit` waits; it takes half an hour.
  if (word === 'native') pbkdf2('', '', 2 ** 31 - 1, 64, 'sha512', () => {})
  if (word === 'wait' || word === 'native') return new Promise(() => {})
  if (word === 'progress') onProgress(1, 2)
  return { word, pid: process.pid, environment: JSON.stringify(process.env) }
})
