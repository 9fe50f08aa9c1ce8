import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Before all tests: a folder for what one test of this run has done and others need not do again. Node keeps the code there that
 * processes and threads compile from sources; sandboxes keep their answers (fakes/openKnowingThread.ts). `npm test` gives one to
 * all of its parts.
 */
export default function runFolder(): void {
  if (process.env.PERPSCOPE_TEST_FOLDER) return
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-run-'))
  process.env.PERPSCOPE_TEST_FOLDER = folder
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled')
  // At the very end: a process that ends late still writes down what it compiled.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}
