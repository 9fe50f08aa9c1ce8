import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const oldNode = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`

/** Writes a package whose program prints its Node, folder and arguments, with or without a Node of its own. */
function packageWith({ hasNode }: { hasNode: boolean }): string {
  const folder = realpathSync(temporaryFolder())
  mkdirSync(join(folder, 'scripts'))
  mkdirSync(join(folder, 'out', 'main'), { recursive: true })
  cpSync(join(root, 'scripts', 'cli.mjs'), join(folder, 'scripts', 'cli.mjs'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const printed =
    'console.log(JSON.stringify([process.versions.node, process.cwd(), process.argv.slice(2)])); process.exitCode = 3'
  writeFileSync(join(folder, 'out', 'main', 'cli.js'), printed)
  if (hasNode) {
    const own = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`)
    mkdirSync(join(own, 'bin'), { recursive: true })
    writeFileSync(join(own, 'package.json'), '{}')
    symlinkSync(process.execPath, join(own, 'bin', 'node'))
  }
  return folder
}

function launch(folder: string, { node = [] as string[], env = {}, cwd = folder } = {}) {
  const args = [...node, join(folder, 'scripts', 'cli.mjs'), 'ls', '--json']
  const { PATH, HOME } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd,
    env: { PATH, HOME, ...env },
    encoding: 'utf8',
  })
  return { status, printed: stdout === '' ? null : (JSON.parse(stdout) as unknown), stderr }
}

test.runIf(process.platform !== 'win32')(
  'an old Node starts the one that the package brings, and ends as it does',
  () => {
    const folder = packageWith({ hasNode: true })
    const answer = launch(folder, { node: ['--import', oldNode] })
    expect(answer).toEqual({ status: 3, printed: [process.versions.node, folder, ['ls', '--json']], stderr: '' })
    const without = launch(packageWith({ hasNode: false }), { node: ['--import', oldNode] })
    expect(without).toEqual({
      status: 1,
      printed: null,
      stderr: 'Perpscope needs Node 22 or newer; this is 20.20.2.\n',
    })
  },
)

test('paths of an npm script are meant from the folder of the person, other programs keep theirs', () => {
  const folder = packageWith({ hasNode: false })
  const elsewhere = realpathSync(temporaryFolder())
  const env = { INIT_CWD: elsewhere, npm_lifecycle_event: 'cli', npm_package_json: join(folder, 'package.json') }
  expect(launch(folder, { env }).printed).toEqual([process.versions.node, elsewhere, ['ls', '--json']])
  const otherProject = packageWith({ hasNode: false })
  const ofOther = { ...env, npm_package_json: join(otherProject, 'package.json') }
  expect(launch(folder, { env: ofOther }).printed).toEqual([process.versions.node, folder, ['ls', '--json']])
})

test.runIf(process.platform !== 'win32' && existsSync(join(root, '.git')))(
  'git keeps the launcher executable, as npm makes it',
  () => {
    const listed = execFileSync('git', ['ls-files', '--stage', 'scripts/cli.mjs'], { cwd: root, encoding: 'utf8' })
    expect(listed).toMatch(/^100755 /)
  },
)

test.runIf(process.platform !== 'win32')(
  'the package of npm holds the program, its launcher and the Python module alone',
  () => {
    const packing = ['pack', '--dry-run', '--ignore-scripts', '--json']
    const answer = JSON.parse(execFileSync('npm', packing, { cwd: root, encoding: 'utf8' })) as unknown
    const [{ files }] = (Array.isArray(answer) ? answer : Object.values(answer as object)) as {
      files: { path: string }[]
    }[]
    const paths = files.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['scripts/cli.mjs', 'resources/python/perpscope.py', 'package.json']))
    const isOwn = (path: string) =>
      /^(out\/|resources\/python\/[^/]+$|scripts\/cli\.mjs$|(README|LICENSE|package)[^/]*$)/.test(path)
    expect(paths.filter((path) => !isOwn(path) || /\.(map|ts|vue|pyc)$|\.built$/.test(path))).toEqual([])
  },
)
