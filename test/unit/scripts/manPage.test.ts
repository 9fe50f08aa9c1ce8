import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allCommands } from '../../../electron/cli/registry.ts'
import { manPage } from '../../../scripts/packing/manPage.ts'
import { findProgram } from '../../../scripts/project.mjs'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const commands = await allCommands()
const page = manPage({ commands, version: '1.2.3', day: '2026-11-30' })

/** Runs a program on the page. */
function run(program: string, ...args: string[]) {
  const path = join(temporaryFolder(), 'perpscope.1')
  writeFileSync(path, page)
  return spawnSync(program, [...args, path], {
    encoding: 'utf8',
    env: { ...process.env, MANWIDTH: '80', MANPAGER: 'cat', LC_ALL: 'C.UTF-8' },
  })
}

/** Undoes what the page does to keep hyphens and to break long words. */
const words = page.replaceAll('\\-', '-').replaceAll('\\:', '')

test('the manual page has every command, option, exit status and variable of the help, in ASCII', () => {
  for (const { verb, summary, actions } of commands) {
    expect(words).toContain(`.SS "perpscope ${verb} - ${summary.replaceAll('’', '\\(cq')}`)
    for (const { options = {} } of actions)
      for (const name of Object.keys(options)) expect(words, verb).toMatch(new RegExp(`^.fB--${name}\\b`, 'm'))
  }
  for (const word of ['PERPSCOPE_API_KEY', 'NO_COLOR', '130', '--data-dir']) expect(words).toContain(`\n\\fB${word}`)
  expect(page).toMatch(/^\.TH PERPSCOPE 1 "2026-11-30" "perpscope 1\.2\.3"/)
  expect(page).toMatch(/^[\n -~]*$/)
})

test('mandoc finds nothing wrong with the manual page', ({ skip }) => {
  skip(!findProgram(['mandoc']), 'mandoc is not installed')
  expect(run('mandoc', '-T', 'lint', '-W', 'warning').stdout).toBe('')
})

test('man shows the manual page without a warning, in 80 columns but for examples', ({ skip }) => {
  skip(!findProgram(['man']) || !findProgram(['groff']), 'man or groff is not installed')
  const { stdout: shown, stderr } = run('man', '--warnings', '-l')
  expect(stderr).toBe('')
  expect(shown).toContain('perpscope serve - serve the app to a browser on this machine')
  expect(shown.split('\n').filter((line) => line.length > 80 && !/^ +perpscope/.test(line))).toEqual([])
})

test('the package lists its manual page, because npm passes over one that is not in a list', () => {
  const { man } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
    man: unknown
  }
  expect(man).toEqual([expect.stringMatching(/perpscope\.1\.gz$/)])
})
