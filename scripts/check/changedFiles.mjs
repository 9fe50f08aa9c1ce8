/** Lists the files that a person has changed and not merged yet. */
import { execFileSync } from 'node:child_process'
import { root } from '../project.mjs'

const git = (folder, ...args) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

const linesOf = (text) => text.split('\0').filter(Boolean)

/** Returns the commit where this branch left the main one, or HEAD if there is no main branch. */
function baseOf(folder) {
  for (const branch of ['origin/main', 'main']) {
    try {
      return git(folder, 'merge-base', 'HEAD', branch).trim()
    } catch {
      // A clone may lack either branch.
    }
  }
  return 'HEAD'
}

/** Lists the paths of changed and new files, committed or not, without deleted ones. */
export function changedFiles(folder = root) {
  const tracked = git(folder, 'diff', '--name-only', '--no-renames', '--diff-filter=d', '-z', baseOf(folder))
  const untracked = git(folder, 'ls-files', '--others', '--exclude-standard', '-z')
  return [...new Set([...linesOf(tracked), ...linesOf(untracked)])].sort()
}
