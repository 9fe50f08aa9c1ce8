import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../electron/cli/run.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { compileCacheEnv } from '../fakes/compileCacheEnv.ts'
import { program } from '../fakes/commandLine.ts'

const panel = join(import.meta.dirname, '..', 'conformance', 'data', 'portfolio-tests', 'v10-walk-forward', 'panel.csv')

const folder = mkdtempSync(join(tmpdir(), 'perpscope-grid-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string) => join(folder, name)

const COMBINATIONS = 60
writeFileSync(
  at('grid.json'),
  JSON.stringify({
    version: 1,
    kind: 'portfolio',
    interval: '1d',
    signal: 'sma(signal, {n})',
    parameters: { n: Array.from({ length: COMBINATIONS }, (_, place) => place + 1) },
    walkForward: { folds: 4 },
  }),
)
const gridRun = (dataDir: string, ...args: string[]) => [
  ...['study', 'run', at('grid.json'), '--panel', panel, '--data-dir', at(dataDir)],
  ...args,
]

/** Runs the CLI in this process; returns its standard output. */
async function runHere(...args: string[]): Promise<string> {
  let stdout = ''
  let stderr = ''
  const status = await run(args, {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    env: {},
    signal: new AbortController().signal,
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

/** Starts the CLI in a separate process. */
function startProcess(args: readonly string[]) {
  const env = { PATH: process.env.PATH, HOME: folder, ...compileCacheEnv }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const exited = once(child, 'exit').then(([status]) => ({ status: status as number | null, stderr }))
  return { child, exited }
}

const linesOf = (dataDir: string): number => {
  const path = join(at(dataDir), 'ledger.jsonl')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0
}

/** Runs the grid in a process that receives a signal once it has recorded some combinations. */
async function interrupt(dataDir: string, signal: 'SIGINT' | 'SIGKILL', recorded: number) {
  const { child, exited } = startProcess(gridRun(dataDir))
  let hasEnded = false
  const ended = exited.then((result) => {
    hasEnded = true
    return result
  })
  while (!hasEnded && linesOf(dataDir) < recorded) await new Promise((resolve) => setTimeout(resolve, 2))
  child.kill(signal)
  return ended
}

const resultOf = async (dataDir: string): Promise<unknown> => JSON.parse(await runHere(...gridRun(dataDir, '--json')))

interface Entry {
  sequence: number
  role: string
  isTrial: boolean
}
const entriesOf = async (dataDir: string) =>
  (JSON.parse(await runHere('ledger', 'list', '--json', '--data-dir', at(dataDir))) as { entries: Entry[] }).entries

describe('a grid of several processes', () => {
  it('continues where a killed and an interrupted run stopped, with an equal result', async () => {
    const whole = await resultOf('whole')
    const killed = await interrupt('stopped', 'SIGKILL', 3)
    expect(killed.status).toBeNull()
    const afterKill = linesOf('stopped')
    const interrupted = await interrupt('stopped', 'SIGINT', afterKill + 3)
    expect(interrupted.status).toBe(130)
    expect(await resultOf('stopped')).toEqual(whole)
    const entries = await entriesOf('stopped')
    expect(entries.map(({ role }) => role)).toEqual([
      ...Array.from({ length: COMBINATIONS }, () => 'combination'),
      'walk-forward',
    ])
    expect(entries.filter(({ isTrial }) => isTrial)).toHaveLength(COMBINATIONS)
  }, 120_000)

  it('runs as three parts in three processes, whose ledgers are merged to an equal result', async () => {
    const whole = await resultOf('one')
    const parts = [1, 2, 3].map((part) => startProcess(gridRun(`part${part}`, '--part', `${part}/3`)))
    const ended = await Promise.all(parts.map(({ exited }) => exited))
    expect(ended.map(({ status, stderr }) => (status === 0 ? 0 : stderr))).toEqual([0, 0, 0])
    for (const part of [1, 2, 3]) {
      await runHere('ledger', 'merge', join(at(`part${part}`), 'ledger.jsonl'), '--data-dir', at('merged'))
    }
    const merged = await resultOf('merged')
    const { overfitting, ...rest } = merged as { overfitting: { trials: number; sharpeVariance: number } }
    expect(overfitting.trials).toBe(COMBINATIONS)
    expect(rest).toMatchObject({ walkForward: { grid: expect.any(Array) as unknown } })
    // The merged trials are in the order of the parts, so sums over them differ in their last digits.
    const {
      overfitting: ofWhole,
      walkForward,
      ...figures
    } = whole as {
      overfitting: { sharpeVariance: number }
      walkForward: { folds: unknown }
    }
    expect(overfitting.sharpeVariance).toBeCloseTo(ofWhole.sharpeVariance, 12)
    expect(rest).toMatchObject({ ...figures, walkForward: { folds: walkForward.folds } })
    expect(await runHere('ledger', 'verify', '--data-dir', at('merged'))).toContain('no problems found')
  }, 120_000)

  it('runs as two parts at once in one folder', async () => {
    const parts = [1, 2].map((part) => startProcess(gridRun('shared', '--part', `${part}/2`)))
    const ended = await Promise.all(parts.map(({ exited }) => exited))
    expect(ended.map(({ status, stderr }) => (status === 0 ? 0 : stderr))).toEqual([0, 0])
    const entries = await entriesOf('shared')
    expect(entries.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: COMBINATIONS }, (_, place) => place + 1),
    )
    await resultOf('shared')
    expect((await entriesOf('shared')).at(-1)).toMatchObject({ role: 'walk-forward', sequence: COMBINATIONS + 1 })
  }, 120_000)
})
