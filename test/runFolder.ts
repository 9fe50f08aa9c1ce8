import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Creates a folder before all tests for files that the tests of a run share: Node caches compiled code there, and
 * sandboxes cache their answers (fakes/cachedWorkThread.ts). `npm test` passes one folder to all of its parts.
 */
export default function createRunFolder(): void {
  if (process.env.PERPSCOPE_TEST_FOLDER) return
  const folder = mkdtempSync(join(tmpdir(), 'perpscope-run-'))
  process.env.PERPSCOPE_TEST_FOLDER = folder
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled')
  // The folder is removed at the very end, because a process that ends late still writes its compiled code there.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}
