/**
 * Runs the browser host with hot reload: Vite replaces changed modules in the window, and Node restarts the host when
 * the core changes. A restarted host has the same port and token, so an open page reconnects.
 */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { runInTerminal } from './processes.mjs'
import { at, nodeProblem, projectNode, root } from './project.mjs'

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

async function dev() {
  const problem = projectNode() === process.execPath ? nodeProblem() : null
  if (problem) {
    console.error(problem)
    return 1
  }
  const port = Number(process.env.PERPSCOPE_DEV_PORT ?? (await freePort()))
  const token = randomBytes(32).toString('base64url')
  console.log(`Perpscope for development runs at http://127.0.0.1:${port}/#token=${token}`)
  const env = { ...process.env, PERPSCOPE_DEV_PORT: String(port), PERPSCOPE_DEV_TOKEN: token }
  const args = ['--watch', '--watch-preserve-output', at('scripts', 'devHost.mjs')]
  const { status, interrupted } = await runInTerminal(projectNode(), args, { env, cwd: root })
  return interrupted ? 0 : status
}

process.exitCode = await dev()
