import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp, type App } from '#core/app.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import { startWebHost, type WebHost } from '../../electron/web/server.ts'
import { fakePorts } from '../fakes/fakePorts.ts'
import { openWebWindow } from '../fakes/webWindow.ts'

let folder: string
let app: App
let host: WebHost

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'perpscope-web-'))
  mkdirSync(join(folder, 'renderer', 'assets'), { recursive: true })
  writeFileSync(join(folder, 'renderer', 'index.html'), '<script nonce="__CSP_NONCE__"></script>')
  writeFileSync(join(folder, 'renderer', 'assets', 'a.js'), 'let a')
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  app = createApp(fakePorts(), { version: '0.0.0', dataDir: join(folder, 'data') })
  host = await startWebHost({
    app,
    port: 0,
    rendererDir: join(folder, 'renderer'),
    incomingDir: join(folder, 'incoming'),
  })
})

afterAll(async () => {
  await host.close()
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

/** Sends the path unchanged, because URL classes would normalize an attack away. */
function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options
    const outgoing = request({ host: '127.0.0.1', port: host.port, path, method, headers }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

describe('pages', () => {
  test('a page carries a policy whose nonce is its own and new each time', async () => {
    const [first, second] = [await ask('/'), await ask('/')]
    const nonceOf = (answer: Answer) => /'nonce-([^']+)'/.exec(String(answer.headers['content-security-policy']))?.[1]
    expect(first.body).toBe(`<script nonce="${nonceOf(first)}"></script>`)
    expect(nonceOf(first)).not.toBe(nonceOf(second))
    const policy = String(first.headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(first.headers['access-control-allow-origin']).toBeUndefined()
  })

  test.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '/%00',
    '/%zz',
  ])('%s does not leave the folder of the window', async (path) => {
    const { status, body } = await ask(path)
    expect(status).toBe(404)
    expect(body).not.toContain('secret')
  })

  test.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example:1'])(
    'a name that was bound to this machine from outside is refused: %s',
    async (name) => {
      expect((await ask('/', { headers: { Host: name } })).status).toBe(403)
    },
  )

  test('a tunnel on another port of this machine is let in', async () => {
    expect((await ask('/', { headers: { Host: 'localhost:9999' } })).status).toBe(200)
  })

  test('refuses a request that names a second host behind a good one', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(host.port, '127.0.0.1')
      let text = ''
      socket.on('data', (piece) => (text += piece.toString()))
      socket.on('end', () => resolve(text)).on('error', reject)
      socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')
    })
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /)
  })
})

describe('the socket', () => {
  test('answers a window that has the token', async () => {
    const { client, socket } = await openWebWindow(host)
    expect(await client.call('app.info', {})).toMatchObject({ host: 'browser', version: '0.0.0' })
    socket.close()
  })

  test.each([
    ['a wrong token', { token: 'x'.repeat(43) }, '401'],
    ['a foreign origin', { headers: { Origin: 'http://evil.example' } }, '403'],
    ['another port of this machine as origin', { headers: { Origin: 'http://127.0.0.1:1' } }, '403'],
    ['a foreign host name', { headers: { Host: 'evil.example', Origin: 'http://evil.example' } }, '403'],
  ])('refuses %s', async (_what, overrides, status) => {
    await expect(openWebWindow(host, overrides)).rejects.toThrow(status)
  })

  test('a socket on any other path is refused', async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(host.port, '127.0.0.1', () =>
        socket.write(`GET /other HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`),
      )
      socket.once('data', (data) => resolve(data.toString()))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 403/)
  })

  test('a message of 100 MB ends that socket alone', async () => {
    const bystander = await openWebWindow(host)
    const { socket } = await openWebWindow(host)
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.send(new Uint8Array(100 * 1024 * 1024))
    expect(await closed).toBe(1009)
    expect(await bystander.client.call('app.info', {})).toMatchObject({ version: '0.0.0' })
    bystander.socket.close()
  })

  test.each([
    ['text', 'hello'],
    ['bytes that are no message', new Uint8Array([255, 255, 255, 255, 1])],
    ['a cut message', new Uint8Array([1])],
  ])('%s ends that socket', async (_what, data) => {
    const { socket } = await openWebWindow(host)
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    socket.send(data)
    expect(await closed).toBe(1003)
  })
})

describe('taking in and giving out files', () => {
  const put = (headers: Record<string, string>) =>
    ask(`/receive?name=${encodeURIComponent('../../evil\u0000.parquet')}`, { method: 'PUT', headers, body: 'PAR1' })
  const ownHeaders = () => ({ Host: `127.0.0.1:${host.port}`, Origin: `http://127.0.0.1:${host.port}` })

  test('a file with the token is kept inside the folder under a harmless name', async () => {
    expect((await put({ ...ownHeaders(), Authorization: `Bearer ${host.token}` })).status).toBe(204)
    const { client, socket } = await openWebWindow(host)
    const [file] = await client.call('files.received', {})
    expect(file).toMatchObject({ name: '_.._evil_.parquet', sizeBytes: 4 })
    expect(() => readFileSync(join(folder, 'evil_.parquet'))).toThrow()
    if (process.platform !== 'win32') expect(statSync(join(folder, 'incoming')).mode & 0o777).toBe(0o700)
    socket.close()
  })

  test('a workspace whose name ends in half a character is saved, and the host lives on', async () => {
    const { client, socket } = await openWebWindow(host)
    const ready = new Promise<{ path: string; name: string }>((resolve) => client.on('saves.ready', resolve))
    const document = emptyDocument()
    const saved = client.call('documents.export', { kind: 'workspace', name: `${'x'.repeat(79)}😀`, document })
    const { path, name } = await ready
    expect(name.isWellFormed()).toBe(true)
    expect((await ask(path)).status).toBe(200)
    expect(await saved).toEqual({ name, path: null })
    expect((await ask('/')).status).toBe(200)
    socket.close()
  })

  test('without the token, or from another origin, nothing is taken in', async () => {
    expect((await put(ownHeaders())).status).toBe(401)
    expect(
      (await put({ ...ownHeaders(), Origin: 'http://evil.example', Authorization: `Bearer ${host.token}` })).status,
    ).toBe(403)
  })

  test('a saved file can be fetched once, from the path that only its window was told', async () => {
    const { client, socket } = await openWebWindow(host)
    const ready = new Promise<{ path: string; name: string }>((resolve) => client.on('saves.ready', resolve))
    const other = await openWebWindow(host)
    let isOtherTold = false
    other.client.on('saves.ready', () => (isOtherTold = true))

    const saved = client.call('requests.export', {})
    const { path, name } = await ready
    expect(name).toBe('requests.csv')
    const answer = await ask(path)
    expect(answer.headers['content-disposition']).toContain('attachment')
    expect(answer.body).toMatch(/^time,/)
    expect(await saved).toEqual({ name: 'requests.csv', path: null })
    expect((await ask(path)).status).toBe(404)
    await other.client.call('app.info', {})
    expect(isOtherTold).toBe(false)
    socket.close()
    other.socket.close()
  })
})
