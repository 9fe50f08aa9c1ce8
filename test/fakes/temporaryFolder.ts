import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ending, endOfTest } from './sharedByTests.ts'

/** Creates an empty folder that is removed when the test ends. */
export function temporaryFolder(ending: Ending = endOfTest): string {
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-test-'))
  ending(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
