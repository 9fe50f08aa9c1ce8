import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished, test, type TestContext } from 'vitest'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

/** Describes how a peer can be run on this machine; `npm run test:peers` writes it. */
interface Peer {
  label: string
  python?: string
  /** Folder of npm packages that replace the peer's Python packages or supplement them. */
  modules?: string
  problem?: string
}

const run = promisify(execFile)
const file = process.env.PERPSCOPE_PEERS
const peers: Record<string, Peer> = file ? JSON.parse(readFileSync(file, 'utf8')) : {}

/**
 * Returns the environment for peers; its time zone is not UTC, so that code that relies on the machine's zone fails.
 */
export const peerEnvironment = () => ({ ...process.env, PYTHONUTF8: '1', TZ: 'America/New_York' })

/** Runs a Python program in the peer's environment. @returns the last line of its output, parsed as JSON */
export type RunPython = (program: string, cwd?: string) => Promise<unknown>

function runnerOf({ python }: { python: string }): RunPython {
  return async (program, cwd = temporaryFolder()) => {
    const path = join(temporaryFolder(), 'proof.py')
    writeFileSync(path, program)
    const options = { cwd, env: peerEnvironment(), maxBuffer: 256 * 1024 * 1024, timeout: 280_000 }
    const { stdout } = await run(python, [path], options)
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
  }
}

/** Defines a test that runs a proof with a Python peer; without the peer it is skipped with the reason. */
export function provePython(peerId: string, name: string, proof: (run: RunPython) => Promise<void>): void {
  test(`${peerId}: ${name}`, async (context) => {
    const { python } = available(context, peerId)
    if (!python) return context.skip(`${peers[peerId].label} (there is no Python 3)`)
    await proof(runnerOf({ python }))
  })
}

/**
 * Starts a server that a Python program of this folder runs. @returns its address, which the program prints on its
 * first line
 */
export async function startServer(context: TestContext, peerId: string, program: string): Promise<string> {
  const { python } = available(context, peerId)
  if (!python) return context.skip(`${peers[peerId].label} (there is no Python 3)`)
  const path = join(import.meta.dirname, program)
  const server = spawn(python, [path], { env: peerEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void server.kill('SIGKILL'))
  const [url] = (await once(server.stdout, 'data')) as [Buffer]
  return url.toString().trim()
}

/** Returns the peer; skips the test with the reason if the peer is not available. */
export function available(context: TestContext, peerId: string): Peer {
  const peer = peers[peerId]
  if (!peer) return context.skip(`${peerId} (not installed: “npm run test:peers” installs it)`)
  return peer.problem ? context.skip(`${peer.label} (${peer.problem})`) : peer
}

/** Runs a ClickHouse query in the Python or the npm build of chdb. @returns the columns of the answer by name */
export type RunClickHouse = (sql: string, cwd?: string) => Promise<Record<string, unknown[]>>

const FORMAT = 'JSONColumns'

/** Defines a test that runs a proof with ClickHouse's embedded build. */
export function proveClickHouse(name: string, proof: (query: RunClickHouse) => Promise<void>): void {
  test(`chdb: ${name}`, async (context) => {
    const { python, modules } = available(context, 'chdb')
    await proof(async (sql, cwd = temporaryFolder()) => {
      const query = sql.trimEnd().replace(/;$/, '')
      if (python) {
        const program = `import chdb, json\nprint(json.dumps(json.loads(str(chdb.query(${JSON.stringify(query)}, "${FORMAT}")))))`
        return (await runnerOf({ python })(program, cwd)) as Record<string, unknown[]>
      }
      const script = `const { query } = require(${JSON.stringify(join(modules!, 'chdb'))}); process.stdout.write(query(${JSON.stringify(query)}, '${FORMAT}'))`
      const { stdout } = await run(process.execPath, ['-e', script], { cwd, maxBuffer: 256 * 1024 * 1024 })
      return JSON.parse(stdout) as Record<string, unknown[]>
    })
  })
}
