/**
 * Copies the checkout for a runner, so that worker threads and child processes of the tests run the mutated source too,
 * and the checkout itself is never changed.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { at, root } from '../project.mjs'

/** Folders that are not copied, because the tests of a mutation run read nothing in them. */
const leftOutPattern = /^(resources\/screenshots|test\/(e2e|electronReal|soak|artifacts|pictures))\//

const newFolder = () => mkdtempSync(join(tmpdir(), 'perpscope-mutants-'))

/**
 * Links the packages into a folder that contains a copy of the sources.
 * @returns the folder and a function that removes it
 */
function linkPackages(folder) {
  symlinkSync(at('node_modules'), join(folder, 'node_modules'), 'junction')
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  // The copy is also removed if the run is interrupted.
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

/** Copies the current sources, with a link to the checkout's packages. */
export function copyCheckout() {
  const folder = newFolder()
  const listing = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
  for (const path of listing.split('\0')) {
    if (path === '' || leftOutPattern.test(path) || !existsSync(at(path))) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(at(path), join(folder, path))
  }
  return linkPackages(folder)
}

/** Copies the copy of a checkout, so that all runners have the same sources even if the checkout changes meanwhile. */
export function copyAgain({ folder: from }) {
  const folder = newFolder()
  cpSync(from, folder, { recursive: true, filter: (path) => path !== join(from, 'node_modules') })
  return linkPackages(folder)
}
