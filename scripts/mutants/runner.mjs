/**
 * Runs tests in a copy of the checkout with its own vitest process; mutants are applied to the copy one after another.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { at, projectNode } from '../project.mjs'
import { copyAgain } from './workCopy.mjs'

const isWindows = process.platform === 'win32'

/**
 * Creates a runner; its vitest process starts with the first run. `hasProbes` makes it record which probes are reached.
 */
export function createRunner(checkout, { hasProbes = false } = {}) {
  const { folder, remove } = copyAgain(checkout)
  const runFolder = join(folder, '.run')
  const reachedFile = join(runFolder, 'reached')
  mkdirSync(runFolder)
  let child = null

  function start() {
    const hook = pathToFileURL(at('scripts', 'mutants', 'reached.mjs')).href
    const env = {
      ...process.env,
      PERPSCOPE_TEST_FOLDER: runFolder,
      NODE_COMPILE_CACHE: join(runFolder, 'compiled'),
      ...(hasProbes && { PERPSCOPE_REACHED: reachedFile, NODE_OPTIONS: `--import ${hook}` }),
    }
    const program = at('scripts', 'mutants', 'vitestRunner.mjs')
    // The process gets its own process group, so that child processes of the tests are killed with it.
    const stdio = ['ignore', 'ignore', process.env.PERPSCOPE_MUTANTS_DEBUG ? 'inherit' : 'ignore', 'ipc']
    child = spawn(projectNode(), [program, folder], { cwd: folder, env, stdio, detached: !isWindows })
    return nextMessage(120_000)
  }

  /**
   * Waits for the next message of the process; resolves to `{ ended }` if the process ends or the timeout passes
   * before a message comes.
   */
  function nextMessage(timeoutMs) {
    const waitingFor = child
    return new Promise((resolve) => {
      const finish = (value) => {
        clearTimeout(timer)
        waitingFor.removeAllListeners()
        resolve(value)
      }
      const timer = setTimeout(() => finish({ ended: 'timeout' }), timeoutMs)
      waitingFor.once('message', finish)
      waitingFor.once('exit', () => finish({ ended: 'crash' }))
      waitingFor.once('error', () => finish({ ended: 'crash' }))
    })
  }

  process.once('exit', stop)

  function stop() {
    if (!child) return
    const { pid } = child
    child = null
    try {
      process.kill(isWindows ? pid : -pid, 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  }

  return {
    folder,
    write: (path, text) => writeFileSync(join(folder, path), text),
    /**
     * Runs test files in the given order until one test fails.
     * @param {{ path: string, ids?: string[] }[]} tests test files; `ids` selects some tests of a file
     * @param {string[]} changed sources that were changed since the previous run
     */
    async run(tests, changed, timeoutMs) {
      if (!child && !(await start()).ready) throw new Error('vitest did not start for the mutation run')
      child.send({ tests, changed })
      const result = await nextMessage(timeoutMs)
      if (result.ended) stop()
      return result
    },
    /**
     * Returns a map from the id of each test to the ids of the probes that it reached since the last call; the key ''
     * has the probes that were reached outside of tests.
     */
    takeReached() {
      let text = ''
      try {
        text = readFileSync(reachedFile, 'utf8')
      } catch {
        // No probe was reached.
      }
      rmSync(reachedFile, { force: true })
      const reachedByTest = new Map([['', new Set()]])
      let test = ''
      for (const line of text.split('\n').filter(Boolean)) {
        if (line.startsWith('=')) test = line.slice(1)
        else reachedByTest.set(test, (reachedByTest.get(test) ?? new Set()).add(Number(line)))
      }
      return reachedByTest
    },
    close() {
      process.off('exit', stop)
      stop()
      remove()
    },
  }
}
