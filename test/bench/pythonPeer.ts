import { readFileSync } from 'node:fs'
import { NotHere } from './benchLine.ts'

/** Finds the Python of a peer that `npm run bench -- --peers` installed; throws `NotHere` without it. */
export function pythonOf(peer: string): string {
  const file = process.env.PERPSCOPE_PEERS
  if (!file) throw new NotHere('“npm run bench -- --peers” installs this peer')
  const { python, problem } =
    (JSON.parse(readFileSync(file, 'utf8')) as Record<string, { python?: string; problem?: string }>)[peer] ?? {}
  if (python === undefined) throw new NotHere(problem ?? 'there is no Python 3')
  return python
}
