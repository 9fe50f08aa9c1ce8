import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { electronProgram, openRealDesktop, root, type RealDesktop } from './realDesktop.ts'

if (!electronProgram)
  console.log('Not run: real Electron: its program is not installed, or `npm run test:electron` was not used.')

describe.skipIf(!electronProgram)('the built app in real Electron', () => {
  let desktop: RealDesktop
  beforeAll(async () => {
    desktop = await openRealDesktop()
  })
  afterAll(() => desktop.close())

  it('opens its window on its own page', async () => {
    const { page } = desktop
    expect(await page.title()).toBe('Perpscope')
    expect(page.url()).toMatch(/^app:\/\/perpscope\/index\.html/)
    expect(await page.evaluate(() => [location.origin, isSecureContext])).toEqual(['app://perpscope', true])
  })

  it('gives its page the bridge and nothing of Node', async () => {
    const seen = await desktop.page.evaluate(() => ({
      bridge: Object.keys(window.perpscope ?? {}).sort(),
      node: ['require', 'process', 'module', 'Buffer', 'global'].filter((name) => name in globalThis),
    }))
    expect(seen).toEqual({ bridge: ['call', 'on'], node: [] })
  })

  it('answers a call through the sandboxed preload', async () => {
    const answer = await desktop.page.evaluate(() => window.perpscope?.call('app.info', {}).answer)
    expect(answer).toMatchObject({ ok: true, value: { host: 'desktop', dataDir: desktop.dataDir } })
  })

  it('carries typed arrays over both borders', async () => {
    const kinds = await desktop.page.evaluate(async () => {
      const answer = await window.perpscope?.call('requests.list', { limit: 10 }).answer
      if (!answer?.ok) return answer
      const { columns } = answer.value as { columns: { values: object }[] }
      return columns.map(({ values }) => Object.prototype.toString.call(values))
    })
    expect(kinds).toContain('[object Float64Array]')
  })

  it('refuses a call that is not of the contract', async () => {
    const answer = await desktop.page.evaluate(() => window.perpscope?.call('app.quit', {}).answer)
    expect(answer).toMatchObject({ ok: false, error: { code: 'unknown-call' } })
  })

  it('brings an event to the page', async () => {
    const theme = await desktop.page.evaluate(
      () =>
        new Promise((resolve) => {
          window.perpscope?.on('settings.changed', (settings) => resolve((settings as { theme: string }).theme))
          void window.perpscope?.call('settings.change', { theme: 'dark' })
        }),
    )
    expect(theme).toBe('dark')
    expect(await desktop.app.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('dark')
  })

  it('stays where it is: no navigation, no second window', async () => {
    const { app, page } = desktop
    const before = page.url()
    const opened = await page.evaluate(() => {
      location.href = 'https://example.com/'
      return window.open('https://example.com/')
    })
    expect(opened).toBeNull()
    expect(await page.evaluate(() => location.href)).toBe(before)
    expect(app.windows()).toHaveLength(1)
  })

  it('loads nothing from anywhere else, and gives no permission', async () => {
    const tried = await desktop.page.evaluate(async () => ({
      elsewhere: await fetch('https://example.com/').then(
        () => 'loaded',
        () => 'refused',
      ),
      camera: (await navigator.permissions.query({ name: 'camera' as PermissionName })).state,
    }))
    expect(tried).toEqual({ elsewhere: 'refused', camera: 'denied' })
  })

  it('serves its own files with the policy, and nothing beside them', async () => {
    const answers = await desktop.app.evaluate(({ net }) =>
      Promise.all(
        ['index.html', '..%2f..%2fpackage.json'].map(async (path) => {
          const { status, headers } = await net.fetch(`app://perpscope/${path}`)
          return [status, headers.get('Content-Security-Policy')?.startsWith("default-src 'none'")]
        }),
      ),
    )
    expect(answers).toEqual([
      [200, true],
      [404, true],
    ])
  })

  it('reloads', async () => {
    const loaded = desktop.page.waitForEvent('load')
    await desktop.page.evaluate(() => void setTimeout(() => location.reload()))
    await loaded
    const answer = await desktop.page.evaluate(() => window.perpscope?.call('app.info', {}).answer)
    expect(answer).toMatchObject({ ok: true })
  })

  it('sends a second start to the first one', async () => {
    const args = [root, '--data-dir', desktop.dataDir, 'perpscope://catalog?q=a']
    const told = desktop.page.evaluate(() => new Promise((resolve) => window.perpscope?.on('links.opened', resolve)))
    await promisify(execFile)(electronProgram ?? '', args, { cwd: root })
    expect(await told).toEqual({ address: '/catalog?q=a' })
    expect(desktop.app.windows()).toHaveLength(1)
  })

  it('runs a command without a window, and ends with its status', async () => {
    expect((await command(['where'])).stdout).toContain(desktop.dataDir)
    await expect(command(['nonsense'])).rejects.toMatchObject({ code: 2 })
  })

  it('gives a command its stdin, and the SQL engine a utility process', async () => {
    expect(JSON.parse((await command(['sql', '-', '--json'], 'SELECT 6 * 7 AS answer\n')).stdout)).toEqual([
      { answer: 42 },
    ])
  })

  it('leaves nothing of the engine in the data folder of a command', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-command-'))
    try {
      await command(['catalog'], '', dataDir)
      const engineFilePattern = /^(Local State|Network|GPUCache|Dawn|Code Cache|blob_storage|Preferences)/
      expect(readdirSync(dataDir).filter((name) => engineFilePattern.test(name))).toEqual([])
    } finally {
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 })
    }
  })

  function command(words: string[], input = '', dataDir = desktop.dataDir) {
    const args = [root, ...headlessSwitches, '--cli', '--', ...words, '--data-dir', dataDir]
    const running = promisify(execFile)(electronProgram ?? '', args, { cwd: root })
    running.child.stdin?.end(input)
    return running
  }
})

/** Switches with which the launcher on Linux starts a command. */
const headlessSwitches =
  process.platform === 'linux' ? ['--no-sandbox', '--ozone-platform=headless', '--disable-gpu'] : []
