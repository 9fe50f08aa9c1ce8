import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, it } from 'vitest'

const at = (path: string) => new URL(`../../${path}`, import.meta.url)
const text = readFileSync(at('.github/workflows/ci.yml'), 'utf8')
const { scripts } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as { scripts: Record<string, string> }

const builder = createRequire(createRequire(import.meta.url).resolve('electron-builder'))
const { load } = createRequire(builder.resolve('app-builder-lib'))('js-yaml') as { load(text: string): unknown }
const { jobs } = load(text) as {
  jobs: Record<string, { strategy: { matrix: { os: string[] } }; steps: { run?: string; uses?: string }[] }>
}
const steps = Object.values(jobs).flatMap((job) => job.steps)
const commands = steps.map(({ run }) => run ?? '').join('\n')

it('runs the newcomer’s test command on the three systems', () => {
  expect(jobs.test.strategy.matrix.os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest'])
  expect(steps.map(({ run }) => run)).toContain('npm test')
})

it('calls only scripts that exist', () => {
  const called = [...commands.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name)
  expect(called).toEqual(expect.arrayContaining(['test:electron', 'dist']))
  expect(called.filter((name) => !(name in scripts))).toEqual([])
  const files = [...commands.matchAll(/node (\S+)/g)].map(([, path]) => path)
  expect(files.filter((path) => !existsSync(at(path)))).toEqual([])
})

it('uses actions by their major version and no secret', () => {
  const actions = steps.flatMap(({ uses }) => uses ?? [])
  expect(actions.filter((action) => !/^actions\/[\w-]+@v\d+$/.test(action))).toEqual([])
  expect(text).not.toMatch(/secrets\./)
})
