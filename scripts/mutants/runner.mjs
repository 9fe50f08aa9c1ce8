/** One copy of the checkout with its vitest process; mutants are applied to the copy one after another. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { at, projectNode } from '../project.mjs'
import { copyAgain } from './workCopy.mjs'

const isWindows = process.platform === 'win32'

/** Starts a runner. Only the first run of the tests needs probes. */
export function createRunner(checkout, { hasProbes = false } = {}) {
  const { folder, remove } = copyAgain(checkout)
  const shared = join(folder, '.run')
  const reachedFile = join(shared, 'reached')
  mkdirSync(shared)
  let child = null

  function start() {
    const hook = pathToFileURL(at('scripts', 'mutants', 'reached.mjs')).href
    const env = {
      ...process.env,
      PERPSCOPE_TEST_FOLDER: shared,
      NODE_COMPILE_CACHE: join(shared, 'compiled'),
      ...(hasProbes && { PERPSCOPE_REACHED: reachedFile, NODE_OPTIONS: `--import ${hook}` }),
    }
    const program = at('scripts', 'mutants', 'vitestRunner.mjs')
    // A process group of its own, so that child processes of the tests end with it.
    const stdio = ['ignore', 'ignore', process.env.PERPSCOPE_MUTANTS_DEBUG ? 'inherit' : 'ignore', 'ipc']
    child = spawn(projectNode(), [program, folder], { cwd: folder, env, stdio, detached: !isWindows })
    return answer(120_000)
  }

  /** Waits for the next message; null if the process ended or the timeout passed. */
  function answer(timeoutMs) {
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
     * Runs test files in their order until one test fails.
     * @param {{ path: string, ids?: string[] }[]} tests files, and of some of them the tests to run
     * @param {string[]} changed sources that differ from the run before
     */
    async run(tests, changed, timeoutMs) {
      if (!child && !(await start()).ready) throw new Error('vitest did not start for the mutation run')
      child.send({ tests, changed })
      const result = await answer(timeoutMs)
      if (result.ended) stop()
      return result
    },
    /**
     * Returns the identifiers of the probes that were reached since the last call, by the test that reached them; under ''
     * those that were reached outside of tests.
     */
    takeReached() {
      let text = ''
      try {
        text = readFileSync(reachedFile, 'utf8')
      } catch {
        // No probe was reached.
      }
      rmSync(reachedFile, { force: true })
      const reached = new Map([['', new Set()]])
      let test = ''
      for (const line of text.split('\n').filter(Boolean)) {
        if (line.startsWith('=')) test = line.slice(1)
        else reached.set(test, (reached.get(test) ?? new Set()).add(Number(line)))
      }
      return reached
    },
    close() {
      process.off('exit', stop)
      stop()
      remove()
    },
  }
}
