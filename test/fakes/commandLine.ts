import { join } from 'node:path'

/**
 * The command line for tests that start it as a process of its own. A whole run names the built program, which starts
 * in half the time; a single test runs from the sources, so that it needs no build.
 */
export const program =
  process.env.PERPSCOPE_TEST_PROGRAM || join(import.meta.dirname, '..', '..', 'electron', 'cli', 'index.ts')
