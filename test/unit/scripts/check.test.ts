import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { changedFiles } from '../../../scripts/check/changedFiles.mjs'
import { chooseTests, testsOf } from '../../../scripts/check/nearestTests.mjs'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

/** A clone with one commit on `main`, and functions that change it. */
function openClone() {
  const folder = temporaryFolder()
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd: folder })
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text)
  const commit = (message: string) => {
    git('add', '--all')
    git('commit', '--quiet', '--no-verify', '-m', message)
  }
  git('init', '--quiet', '--initial-branch=main')
  mkdirSync(join(folder, 'src'))
  for (const name of ['same', 'committed', 'edited', 'gone']) write(`src/${name}.ts`, name)
  write('.gitignore', 'built\n')
  commit('Start')
  return { folder, git, write, commit }
}

it('takes what the branch has changed: in commits, unsaved in none, and new, but not what is gone or ignored', () => {
  const { folder, git, write, commit } = openClone()
  expect(changedFiles(folder)).toEqual([])
  git('switch', '--quiet', '--create', 'branch')
  write('src/committed.ts', 'changed')
  commit('Change')
  write('src/edited.ts', 'changed')
  write('src/a new one.ts', 'new')
  write('built', 'new')
  rmSync(join(folder, 'src/gone.ts'))
  expect(changedFiles(folder)).toEqual(['src/a new one.ts', 'src/committed.ts', 'src/edited.ts'])
})

const sources: Record<string, string> = {
  'shared/time/days.ts': '',
  'shared/time/weeks.ts': "import { day } from './days.ts'",
  'renderer/Weeks.vue': '<script setup lang="ts">\nimport { week } from \'#shared/time/weeks.ts\'\n</script>',
  'electron/core/worker.ts': "export * from '#shared/time/weeks.ts'",
  'electron/core/pool.ts': "const entry = threadEntry('worker', import.meta.url)",
  'test/unit/days.test.ts': "import { day } from '#shared/time/days.ts'",
  'test/components/weeks.test.ts': "const { default: Weeks } = await import('../../renderer/Weeks.vue')",
  'test/unit/pool.test.ts': "import { pool } from '#core/pool.ts'",
  'test/unit/other.test.ts': "import { it } from 'vitest'",
}
const testsOfChanged = (...changed: string[]) => testsOf(changed, Object.keys(sources), (path: string) => sources[path])

it('finds the tests that import a change, also through components and threads, nearest first', () => {
  expect(testsOfChanged('shared/time/days.ts')).toEqual([
    { path: 'test/unit/days.test.ts', distance: 1 },
    { path: 'test/components/weeks.test.ts', distance: 3 },
    { path: 'test/unit/pool.test.ts', distance: 4 },
  ])
  expect(testsOfChanged('test/unit/other.test.ts')).toEqual([{ path: 'test/unit/other.test.ts', distance: 0 }])
  expect(testsOfChanged('README.md')).toEqual([])
})

it('runs every changed test that needs no browser, and of the others the nearest quick ones', () => {
  const suites = {
    isRunnable: (path: string) => !path.includes('e2e'),
    isQuick: (path: string) => path.includes('unit'),
  }
  const tests = [
    { path: 'test/e2e/changed.test.ts', distance: 0 },
    { path: 'test/integration/changed.test.ts', distance: 0 },
    { path: 'test/integration/near.test.ts', distance: 1 },
    ...Array.from({ length: 100 }, (_, index) => ({ path: `test/unit/${index}.test.ts`, distance: 2 + index })),
  ]
  const { chosen, leftOut } = chooseTests(tests, suites)
  expect(chosen.slice(0, 3)).toEqual(['test/integration/changed.test.ts', 'test/unit/0.test.ts', 'test/unit/1.test.ts'])
  expect(chosen.length).toBeLessThan(100)
  expect(leftOut.slice(0, 2)).toEqual(['test/e2e/changed.test.ts', 'test/integration/near.test.ts'])
  expect([...chosen, ...leftOut].toSorted()).toEqual(tests.map(({ path }) => path).toSorted())
})
