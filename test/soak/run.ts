/**
 * Starts a sandbox with faults as a separate process, runs the core under load in this one, and prints the resources
 * that are in use at the end. Usage: `npm run soak` with the options `--files N --opens N --switches N --rounds N`;
 * `--json` prints the report as JSON.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { judgeSoak } from './judgeSoak.ts'
import { soak } from './soak.ts'
import { program } from '../fakes/commandLine.ts'

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '10000' },
    opens: { type: 'string', default: '500' },
    switches: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
  },
})

/** Faults of the sandbox: about one storage request in twelve fails, and one API request in a hundred. */
const faults = {
  rules: [
    { on: 'storage', chance: 0.02, status: 503, retryAfter: 0 },
    { on: 'storage', chance: 0.02, drop: true },
    { on: 'storage', chance: 0.01, cutAfterBytes: 500 },
    { on: 'storage', chance: 0.01, corrupt: true },
    { on: 'storage', chance: 0.01, expired: true },
    { on: 'storage', chance: 0.01, html: true },
    { on: 'api', chance: 0.01, status: 429, retryAfter: 0 },
  ],
}

async function startSandbox(): Promise<{ url: string; key: string; process: ChildProcess }> {
  const args = ['sandbox', '--json', '--now', '2026-11-15T00:00:00Z', '--faults', JSON.stringify(faults)]
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  // The document may arrive in several parts.
  const { value: line } = await createInterface(child.stdout)[Symbol.asyncIterator]().next()
  const { url, keys } = JSON.parse(String(line)) as { url: string; keys: Record<string, string> }
  // The output must be read further, because a sandbox whose output is closed ends.
  child.stdout.resume()
  return { url, key: keys['3'], process: child }
}

const dataDir = mkdtempSync(join(tmpdir(), 'perpscope-soak-'))
const sandbox = await startSandbox()
try {
  const { url, key } = sandbox
  const counts = { files: Number(values.files), opens: Number(values.opens), switches: Number(values.switches) }
  const plan = {
    url,
    key,
    dataDir,
    ...counts,
    rounds: Number(values.rounds),
    warmUpRounds: Math.ceil(Number(values.rounds) / 4),
  }
  const report = await soak(plan, (line) => process.stderr.write(`${line}\n`))
  const verdict = judgeSoak(report, plan.warmUpRounds)
  if (values.json) process.stdout.write(`${JSON.stringify({ ...report, ...verdict })}\n`)
  else for (const line of verdict.lines) process.stdout.write(`${line}\n`)
  process.exitCode = verdict.ok ? 0 : 1
} finally {
  sandbox.process.kill()
  await once(sandbox.process, 'exit')
  rmSync(dataDir, { recursive: true, force: true })
}
// The process must end by itself: a leaked timer, socket or thread would keep it alive, which its caller notices.
