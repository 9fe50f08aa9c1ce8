import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Ending, endOfTest } from './sharedByTests.ts'

/** Creates an empty folder that is removed when the test ends, with what a restore keeps beside it. */
export function temporaryFolder(ending: Ending = endOfTest): string {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-test-'))
  ending(() => {
    const own = readdirSync(dirname(folder)).filter((name) => name.startsWith(basename(folder)))
    for (const name of own) rmSync(join(dirname(folder), name), { recursive: true, force: true })
  })
  return folder
}
