import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
// The folder is inside the project, so that packages outside the bundle are found.
const out = mkdtempSync(join(root, 'node_modules', '.build-test-'))

beforeAll(async () => {
  const builder = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js')
  await run(process.execPath, [builder, 'build', '--outDir', out, '--logLevel', 'error'], { cwd: root })
})
afterAll(() => rmSync(out, { recursive: true, force: true }))

const preload = () => readFileSync(join(out, 'preload', 'index.cjs'), 'utf8')

it('builds the preload as one file that needs nothing but electron', () => {
  const needed = [...preload().matchAll(/\b(?:require|import)\s*\(\s*["'`]([^"'`]*)/g)].map(([, name]) => name)
  expect(new Set(needed)).toEqual(new Set(['electron']))
  expect(preload()).not.toMatch(/\bprocess\.(binding|dlopen)|\beval\b|new Function/)
})

it('gives a page one object with two functions and leaves no other trace', () => {
  const exposed: [string, object][] = []
  const page = createContext({
    AbortController,
    window: new EventTarget(),
    require: () => ({
      contextBridge: { exposeInMainWorld: (name: string, api: object) => exposed.push([name, api]) },
      ipcRenderer: { send() {}, on() {} },
      webUtils: {},
    }),
  })
  // The preload runs as Electron runs it: as the body of a function and not as a script of the page.
  runInContext(`(() => {${preload()}\n})()`, page)
  expect(exposed.map(([name, api]) => [name, Object.keys(api).sort()])).toEqual([['perpscope', ['call', 'on']]])
  expect(Object.keys(page).sort()).toEqual(['AbortController', 'require', 'window'])
})

it('builds a main program that starts, finds its preload and serves its page', async () => {
  const runner = fileURLToPath(new URL('../fakes/runOnFakeElectron.mjs', import.meta.url))
  const dataDir = temporaryFolder()
  const { stdout } = await run(process.execPath, [runner, join(out, 'main', 'index.js'), '--data-dir', dataDir])
  const did = JSON.parse(stdout)
  expect(did).toMatchObject({ preloadExists: true, pageStatus: 200, dialogs: [] })
  expect(did.stepsBeforeReady).toContain('registerSchemes')
  expect(did.policy).toMatch(/default-src 'none'/)
})
