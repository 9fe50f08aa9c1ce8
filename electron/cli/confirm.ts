import { createInterface } from 'node:readline/promises'
import { openStdin } from './stdin.ts'
import { confirmText as text } from './text/terminalTexts.ts'
import { UsageError } from './usageError.ts'

/** Number of files up to which a command removes them without asking. */
const MOST_UNASKED = 100

/** Option that answers the question in advance. */
export const yesOption = { type: 'flag', description: text.yes } as const

/** Asks on the terminal; without one the answer is no. */
export async function isConfirmed(question: string): Promise<boolean> {
  if (!process.stderr.isTTY) return false
  const input = openStdin()
  if (!input.isTTY) return false
  const dialog = createInterface({ input, output: process.stderr })
  try {
    return /^y(es)?$/i.test((await dialog.question(`${question} [y/N] `)).trim())
  } finally {
    dialog.close()
  }
}

/** Throws unless few files go, `--yes` is given or the user says yes on the terminal. */
export async function confirmRemoval(files: number, size: string, isGiven: boolean): Promise<void> {
  if (files <= MOST_UNASKED || isGiven || (await isConfirmed(text.question(files, size)))) return
  throw new UsageError(text.unconfirmed(files, size))
}
