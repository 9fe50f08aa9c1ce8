/**
 * A copy of the checkout for one runner, so that worker threads and child processes of the tests meet the mutated source too, and
 * the checkout itself is never touched.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { at, root } from '../project.mjs'

/** Nothing in these folders is read by the tests of a mutation run. */
const leftOut = /^(resources\/screenshots|test\/(e2e|electronReal|soak|artifacts|pictures))\//

const newFolder = () => mkdtempSync(join(tmpdir(), 'perpscope-mutants-'))

/** @returns the folder of a copy, and how to remove it */
function copyOf(folder) {
  symlinkSync(at('node_modules'), join(folder, 'node_modules'), 'junction')
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  // An interrupted run removes its copies too.
  process.once('exit', remove)
  const forget = () => process.off('exit', remove)
  return {
    folder,
    remove() {
      forget()
      remove()
    },
  }
}

/** A copy of the present sources; the packages are those of the checkout. */
export function copyCheckout() {
  const folder = newFolder()
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
  for (const path of listed.split('\0')) {
    if (path === '' || leftOut.test(path) || !existsSync(at(path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(at(path), join(folder, path))
  }
  return copyOf(folder)
}

/** A copy of a copy, so that all runners of a run see the same sources, whatever happens to the checkout meanwhile. */
export function copyAgain({ folder: from }) {
  const folder = newFolder()
  cpSync(from, folder, { recursive: true, filter: (path) => path !== join(from, 'node_modules') })
  return copyOf(folder)
}
