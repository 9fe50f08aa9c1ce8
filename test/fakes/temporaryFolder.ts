import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Ending, endOfTest } from './sharedByTests.ts'

/** Creates an empty folder that is removed when the test ends, with what a restore keeps beside it. */
export function temporaryFolder(ending: Ending = endOfTest): string {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-test-'))
  ending(() => {
    const own = readdirSync(dirname(folder)).filter((name) => name.startsWith(basename(folder)))
    // Retried, because a thread that was cancelled may still be opening files in it.
    const options = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }
    for (const name of own) rmSync(join(dirname(folder), name), options)
  })
  return folder
}
