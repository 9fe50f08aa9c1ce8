/**
 * Runs the browser host from the sources, with Vite serving the window. dev.mjs starts this script and restarts it when
 * the core changes.
 */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import vue from '@vitejs/plugin-vue'
import { createServer } from 'vite'
import { createApp } from '#core/app.ts'
import { chooseDataDir, prepareDataDir } from '#core/dataDir.ts'
import { createFileLog } from '#core/log/fileLog.ts'
import { proxyFromEnvironment, systemClock } from '#core/ports.ts'
import { takeEnvironmentSecrets } from '#core/environmentSecrets.ts'
import { createKeytarVault } from '../electron/vault/keytarVault.ts'
import { securityHeaders } from '../electron/web/content.ts'
import { startWebHost } from '../electron/web/server.ts'
import { at } from './project.mjs'

const NONCE_PLACEHOLDER = '__CSP_NONCE__'

async function startDevHost({ port, token, dataDir, environmentKey }) {
  prepareDataDir(dataDir)
  const ports = { vault: createKeytarVault(), log: createFileLog(dataDir), clock: systemClock }
  const proxy = proxyFromEnvironment(process.env)
  const app = createApp(ports, { version: 'development', dataDir, environmentKey, proxy })
  const vite = Promise.withResolvers()
  const host = await startWebHost({
    app,
    port,
    token,
    rendererDir: at('renderer'),
    incomingDir: join(dataDir, 'incoming'),
    serveContent: (request, response) => serve(vite.promise, request, response),
  })
  const server = await createServer({
    configFile: false,
    root: at('renderer'),
    plugins: [vue()],
    html: { cspNonce: NONCE_PLACEHOLDER },
    appType: 'custom',
    server: { middlewareMode: true, hmr: { server: host.server } },
  })
  vite.resolve(server)
  return async () => {
    await server.close()
    await host.close()
    await app.close()
  }
}

/** Serves pages and modules through Vite with the security headers of the built app. */
async function serve(starting, request, response) {
  const vite = await starting
  const nonce = randomBytes(16).toString('base64')
  for (const [name, value] of Object.entries(securityHeaders(nonce))) {
    // While the host restarts, Vite's code in the page polls for it in a worker made from a blob, which the built app's
    // policy forbids.
    response.setHeader(name, value.replace("worker-src 'self'", "worker-src 'self' blob:"))
  }
  if (request.url.split('?', 1)[0] !== '/')
    return vite.middlewares(request, response, () => response.writeHead(404).end('Not found.'))
  const page = await vite.transformIndexHtml('/', await readFile(at('renderer', 'index.html'), 'utf8'))
  response.setHeader('Content-Type', 'text/html; charset=utf-8')
  response.end(page.replaceAll(NONCE_PLACEHOLDER, nonce))
}

const { PERPSCOPE_DEV_PORT, PERPSCOPE_DEV_TOKEN } = process.env
const close = await startDevHost({
  port: Number(PERPSCOPE_DEV_PORT ?? 0),
  token: PERPSCOPE_DEV_TOKEN,
  dataDir: chooseDataDir(undefined),
  ...takeEnvironmentSecrets(process.env),
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => close().then(() => process.exit(0)))
