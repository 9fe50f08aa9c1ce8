/** Opens a version of Perpscope in its own checkout: its command line, its sandbox and its core, all on one data folder. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** @typedef {Awaited<ReturnType<typeof openOldVersion>>} OldVersion */

/**
 * @param {string} checkout
 * @param {string} dataDir
 * @param {string} version
 */
export async function openOldVersion(checkout, dataDir, version) {
  const program = join(checkout, 'electron', 'cli', 'index.ts')
  const start = (args, env = {}) =>
    spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env.PATH, HOME: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const sandboxProcess = start(['sandbox', '--now', '2026-09-15T12:34:56Z', '--json', '--data-dir', dataDir])
  const [announcement] = await once(sandboxProcess.stdout, 'data')
  const sandbox = JSON.parse(String(announcement))
  const key = sandbox.keys['3']

  async function runToEnd(args) {
    const child = start(['--data-dir', dataDir, ...args], { PERPSCOPE_API_KEY: key })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk) => (stdout += chunk))
    child.stderr.on('data', (chunk) => (stderr += chunk))
    const [status] = await once(child, 'close')
    return { status, stdout, stderr }
  }
  async function runAllowing(allowed, ...args) {
    const { status, stdout, stderr } = await runToEnd(args)
    if (status !== allowed) throw new Error(`perpscope ${args.join(' ')} ended with ${status}: ${stderr}`)
    return stdout
  }
  const putInSandbox = async (path, value) => {
    const answer = await fetch(`${sandbox.url}/sandbox/${path}`, { method: 'PUT', body: JSON.stringify(value) })
    if (!answer.ok) throw new Error(`The sandbox refused ${path}: ${await answer.text()}`)
  }
  async function withCore(work) {
    const { createApp } = await import(pathToFileURL(join(checkout, 'electron', 'core', 'app.ts')).href)
    const vault = {
      name: 'none',
      probe: async () => {},
      get: async () => null,
      set: async () => {},
      remove: async () => {},
    }
    const ports = {
      vault,
      log: { write: () => {} },
      clock: { nowMs: () => Date.now() },
      startSandbox: () => Promise.reject(new Error('none here')),
    }
    const core = createApp(ports, { version, dataDir, environmentKey: key })
    try {
      return await work(core.clientFor({ face: 'command line', pickFiles: null, save: async () => null }), core)
    } finally {
      await core.close()
    }
  }
  return {
    dataDir,
    sandbox,
    rawEvents: join(checkout, 'test', 'conformance', 'data', 'raw', 'v1'),
    run: (...args) => runAllowing(0, ...args),
    runAllowing,
    withCore,
    setFaults: (faults) => putInSandbox('faults', faults),
    setClock: (now) => putInSandbox('clock', { now }),
    async close() {
      sandboxProcess.kill('SIGTERM')
      await once(sandboxProcess, 'exit')
    },
  }
}
