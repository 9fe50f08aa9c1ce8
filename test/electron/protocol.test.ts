import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { registerAppScheme, serveAppScheme } from '../../electron/main/appProtocol.ts'
import { desktop, resetDesktop } from '../fakes/electron.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

beforeEach(() => {
  resetDesktop()
  const folder = temporaryFolder()
  const rendererDir = join(folder, 'renderer')
  mkdirSync(join(rendererDir, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  writeFileSync(join(rendererDir, 'index.html'), '<style nonce="__CSP_NONCE__"></style>')
  writeFileSync(join(rendererDir, 'assets', 'index.js'), 'export {}')
  serveAppScheme(rendererDir)
})

/** Requests an address; the address may be one that `Request` would refuse or normalise. */
const ask = async (url: string, method = 'GET') => {
  const answer = await desktop.handlers.get('app')?.({ url, method } as Request)
  if (!answer) throw new Error('nobody answers app:')
  return answer
}

it('gives the scheme an origin and the rights of https, and no other privilege', () => {
  registerAppScheme()
  expect(desktop.schemes).toEqual([{ scheme: 'app', privileges: { standard: true, secure: true } }])
})

it('serves the page with a policy whose nonce is the page’s own, new each time', async () => {
  const nonces = await Promise.all(
    [1, 2].map(async () => {
      const answer = await ask('app://perpscope/index.html')
      expect(answer.status).toBe(200)
      const policy = answer.headers.get('Content-Security-Policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self';")
      expect(policy).not.toContain('unsafe')
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
      expect(await answer.text()).toBe(`<style nonce="${nonce}"></style>`)
      return nonce
    }),
  )
  expect(new Set(nonces).size).toBe(2)
})

it('serves scripts as scripts', async () => {
  const answer = await ask('app://perpscope/assets/index.js')
  expect(answer.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8')
  expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
  expect(await answer.text()).toBe('export {}')
})

it.each([
  'app://perpscope/../secret.txt',
  'app://perpscope/%2e%2e/secret.txt',
  'app://perpscope/..%2fsecret.txt',
  'app://perpscope/assets/..%2f..%2fsecret.txt',
  'app://perpscope/..%5csecret.txt',
  'app://perpscope/%00',
  'app://perpscope/%E0%A4%A',
  'app://perpscope//etc/passwd',
  'app://elsewhere/index.html',
  'app://user@perpscope/index.html',
  'app:index.html',
  'nonsense',
])('does not serve %s', async (address) => {
  const answer = await ask(address)
  expect(answer.status).toBe(404)
  expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
  expect(await answer.text()).toBe('Not found.')
})

it('answers GET only', async () => {
  expect((await ask('app://perpscope/index.html', 'POST')).status).toBe(404)
})
