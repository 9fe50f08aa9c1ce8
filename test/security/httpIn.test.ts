import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createApp, type App } from '#core/app.ts'
import {
  closeServer,
  createGuardedServer,
  listenOnLoopback,
  refuseSocket,
  type GuardedServerOptions,
} from '../../electron/loopback/guardedServer.ts'
import { parseRequestTarget } from '../../electron/loopback/requestTarget.ts'
import { startSandbox, type Sandbox } from '../../electron/sandbox/server.ts'
import { startWebHost, type WebHost } from '../../electron/web/server.ts'
import { fakePorts } from '../fakes/fakePorts.ts'

/** Sends bytes unchanged; resolves with everything that is received until the connection is closed. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.setEncoding('latin1').on('data', (data: string) => (text += data))
    socket.on('error', reject)
    socket.on('close', () => resolve(text))
  })
}

const get = (target: string, more = '') =>
  `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${more}\r\n`
const upgrade = (target: string) =>
  `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`

const improperTargets = [
  '//',
  '///',
  '/\\',
  '/\\evil.example',
  'http://',
  'http://[',
  '//[',
  '//a:99999',
  '//etc/passwd',
  '*',
  '?',
]

describe('request targets', () => {
  test.each(improperTargets)('%j is no target', (target) => expect(parseRequestTarget(target)).toBeNull())
  test.each([undefined, '', 'a', '/\u0000', '/ä', '/#a', `/${'a'.repeat(100_000)}`])('%j is no target', (target) =>
    expect(parseRequestTarget(target)).toBeNull(),
  )
  test('path and query are kept as they were sent', () => {
    const target = parseRequestTarget('/a%2fb/../c?name=%zz&x=a+b')
    expect(target?.path).toBe('/a%2fb/../c')
    expect(target?.query.get('x')).toBe('a b')
  })
})

describe('the servers of this program', () => {
  let folder: string
  let app: App
  let host: WebHost
  let sandbox: Sandbox
  const ports = () => [host.port, Number(new URL(sandbox.url).port), Number(new URL(sandbox.storageUrl).port)]

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'perpscope-http-'))
    mkdirSync(join(folder, 'renderer'))
    writeFileSync(join(folder, 'renderer', 'index.html'), 'page')
    app = createApp(fakePorts(), { version: '0.0.0', dataDir: join(folder, 'data') })
    host = await startWebHost({
      app,
      port: 0,
      rendererDir: join(folder, 'renderer'),
      incomingDir: join(folder, 'incoming'),
    })
    sandbox = await startSandbox({})
  })

  afterAll(async () => {
    await host.close()
    await sandbox.close()
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(improperTargets)('the target %j is refused, and the next request is answered', async (target) => {
    for (const port of ports()) {
      expect(await exchange(port, get(target))).toMatch(/^HTTP\/1\.1 400/)
      expect(await exchange(port, get('/x'))).toMatch(/^HTTP\/1\.1 [45]?[0-9]{2}/)
    }
  })

  test('a refused upgrade is closed although the other side keeps its half open', async () => {
    for (const port of ports()) {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(upgrade('/socket')))
      socket.resume()
      await new Promise((resolve) => socket.once('end', resolve))
      // Writing to a closed connection fails; writing to a connection that is still open would never fail.
      const failed = new Promise((resolve) => socket.once('error', resolve))
      const writing = setInterval(() => socket.write('x'), 5)
      await failed
      clearInterval(writing)
    }
  })

  test('an upgrade that is reset ends nothing', async () => {
    for (const port of ports()) {
      for (let turn = 0; turn < 20; turn++) {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(upgrade('/socket'))
          socket.resetAndDestroy()
        })
        await new Promise((resolve) => socket.once('close', resolve))
      }
      expect(await exchange(port, get('/x'))).toMatch(/^HTTP/)
    }
  })

  test('bytes that are no HTTP are refused', async () => {
    for (const port of ports()) expect(await exchange(port, '\u0000\u0001\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/)
  })
})

describe('a guarded server', () => {
  let server: Server | null = null
  afterEach(async () => {
    if (server) await closeServer(server)
    server = null
  })

  async function start(options: Partial<GuardedServerOptions>): Promise<{ port: number; faults: string[] }> {
    const faults: string[] = []
    server = createGuardedServer({
      answer: (_request, response) => void response.end('ok'),
      onFault: (message) => void faults.push(message),
      ...options,
    })
    return { port: await listenOnLoopback(server, 0), faults }
  }

  const whenClosed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))

  test.each<[string, GuardedServerOptions['answer']]>([
    [
      'throws',
      () => {
        throw new Error('here')
      },
    ],
    ['rejects', () => Promise.reject(new Error('here'))],
    [
      'rejects where nobody waits',
      () => {
        void Promise.reject(new Error('here'))
      },
    ],
    [
      'throws later',
      () => {
        setTimeout(() => {
          throw new Error('here')
        }, 1)
      },
    ],
  ])('a request whose answer %s is closed and logged, and the next one is answered', async (_how, faulty) => {
    // The test runner also listens for uncaught errors and would blame the test for them.
    const others = (['uncaughtException', 'unhandledRejection'] as const).map(
      (name) => [name, process.listeners(name as 'uncaughtException')] as const,
    )
    for (const [name] of others) process.removeAllListeners(name)
    try {
      const { port, faults } = await start({
        answer: (request, response, target) =>
          target.path === '/bad' ? faulty(request, response, target) : void response.end('ok'),
      })
      expect(await exchange(port, get('/bad?token=secret'))).toMatch(/^HTTP\/1\.1 500/)
      expect(await exchange(port, get('/good'))).toContain('ok')
      expect(faults).toEqual(['GET /bad failed'])
    } finally {
      for (const [name, listeners] of others)
        for (const listener of listeners) process.on(name as 'uncaughtException', listener)
    }
  })

  test('a connection that never finishes its head is closed', async () => {
    const { port } = await start({ limits: { headerMs: 200 } })
    const silent = connect(port, '127.0.0.1')
    const slow = connect(port, '127.0.0.1', () => slow.write('GET / HTTP/1.1\r\nHost: a'))
    for (const socket of [silent, slow]) socket.on('error', () => {}).resume()
    await Promise.all([whenClosed(silent), whenClosed(slow)])
  })

  test('a request that stalls is closed, and so is a response that does', async () => {
    const answer = (_request: unknown, response: { write(text: string): unknown }, { path }: { path: string }) =>
      void (path === '/begun' && response.write('begun'))
    const { port } = await start({ answer, limits: { idleMs: 100 } })
    expect(await exchange(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf')).toBe('')
    expect(await exchange(port, get('/begun'))).toContain('begun')
  })

  test('a request that waits for its turn longer than connections may be silent is answered', async () => {
    const { port } = await start({
      answer: (request, response) => void request.socket.once('timeout', () => response.end('ok')),
      limits: { idleMs: 50 },
    })
    expect(await exchange(port, get('/'))).toContain('ok')
  })

  test('more connections than the limit are closed at once, and later ones are answered', async () => {
    const { port } = await start({ limits: { connections: 5 } })
    const held = Array.from({ length: 30 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    for (const socket of held) socket.resume()
    await expect.poll(() => held.filter((socket) => socket.closed).length).toBe(25)
    for (const socket of held) socket.destroy()
    await expect.poll(() => exchange(port, get('/')).catch(() => '')).toContain('ok')
  })

  test('connections that say nothing keep nobody out, and none is closed that waits for its answer', async () => {
    const waiting: (() => void)[] = []
    const { port } = await start({
      answer: (_request, response, { path }) =>
        path === '/slow' ? void waiting.push(() => response.end('slow ok')) : void response.end('ok'),
      // No connection may end by its time limit in this test.
      limits: { connections: 5, headerMs: 600_000, idleMs: 600_000, keepAliveMs: 600_000 },
    })
    const slow = exchange(port, get('/slow'))
    await expect.poll(() => waiting.length).toBe(1)
    const held = Array.from({ length: 30 }, (_, at) => {
      const socket = connect(port, '127.0.0.1', () => at % 2 === 0 && socket.write('GET / HTTP/1.1\r\nX-A: '))
      return socket.on('error', () => {}).resume()
    })
    await expect.poll(() => held.filter((socket) => !socket.closed && !socket.connecting).length).toBe(4)
    for (let asked = 0; asked < 10; asked++) expect(await exchange(port, get('/'))).toContain('ok')
    waiting[0]()
    expect(await slow).toContain('slow ok')
    for (const socket of held) socket.destroy()
  })

  test('more requests under way than the limit are closed at once, and those before them are answered', async () => {
    const waiting: (() => void)[] = []
    const { port } = await start({
      answer: (_request, response) => void waiting.push(() => response.end('ok')),
      limits: { connections: 3 },
    })
    const slow = Array.from({ length: 3 }, () => exchange(port, get('/')))
    await expect.poll(() => waiting.length).toBe(3)
    expect(await exchange(port, get('/')).catch(() => '')).toBe('')
    for (const answer of waiting) answer()
    expect(await Promise.all(slow)).toEqual(slow.map(() => expect.stringContaining('ok') as string))
  })

  test('a connection that sends many requests and takes no answer is closed before they are answered', async () => {
    let answeredCount = 0
    const { port } = await start({
      answer: async (_request, response) => {
        await Promise.resolve()
        answeredCount += 1
        response.end(Buffer.alloc(100_000))
      },
    })
    const greedy = connect(port, '127.0.0.1', () => greedy.write(get('/').replace('close', 'keep-alive').repeat(300)))
    greedy.on('error', () => {}).pause()
    await expect.poll(() => answeredCount).toBeGreaterThan(0)
    expect(await exchange(port, get('/'))).toMatch(/^HTTP\/1\.1 200/)
    await expect.poll(() => new Promise((resolve) => server?.getConnections((_error, count) => resolve(count)))).toBe(0)
    expect(answeredCount).toBeLessThan(20)
    greedy.destroy()
  })

  test('a connection may be used for as many requests as it likes, a few of them at once', async () => {
    const { port } = await start({})
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.setEncoding('latin1').on('data', (data: string) => (text += data))
    for (let turn = 1; turn <= 20; turn++) {
      socket.write(get('/').replace('close', 'keep-alive').repeat(4))
      await expect.poll(() => text.split('HTTP/1.1 200').length - 1).toBe(turn * 4)
    }
    socket.destroy()
  })

  test('200 refused upgrades leave no connection behind', async () => {
    const { port } = await start({ upgrade: () => 403 })
    const sockets = Array.from({ length: 200 }, () => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(upgrade('/')))
      return socket.on('error', () => {}).resume()
    })
    await expect.poll(() => new Promise((resolve) => server?.getConnections((_error, count) => resolve(count)))).toBe(0)
    for (const socket of sockets) socket.destroy()
  })

  test('a refusal of a socket that is gone already does nothing', async () => {
    const { port } = await start({})
    const socket = connect(port, '127.0.0.1')
    await wait(10)
    socket.destroy()
    expect(() => refuseSocket(socket, 403)).not.toThrow()
  })
})
