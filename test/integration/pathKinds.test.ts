import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { unopenedText } from '#shared/units/fileKind.ts'
import { run } from '../../electron/cli/run.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

/** Commands that read a given file, by name; each adds its ending to the path. */
const commands: Record<string, (path: string, folder: string) => string[]> = {
  import: (path) => ['import', `${path}.parquet`],
  'study run': (path) => ['study', 'run', `${path}.json`],
  'study run --panel csv': (path, folder) => ['study', 'run', join(folder, 'study.json'), '--panel', `${path}.csv`],
  'study run --panel parquet': (path, folder) => [
    ...['study', 'run', join(folder, 'study.json')],
    ...['--panel', `${path}.parquet`],
  ],
  'study overfitting': (path) => ['study', 'overfitting', `${path}.json`],
  'lists import': (path) => ['lists', 'import', `${path}.csv`],
  'instruments import': (path) => ['instruments', 'import', `${path}.csv`],
  'ledger merge': (path) => ['ledger', 'merge', `${path}.json`],
  restore: (path) => ['restore', `${path}.json`],
  'connection add --catalog': (path) => [
    ...['connection', 'add', 'own', '--metrics-url', 'http://127.0.0.1:1', '--catalog', `${path}.json`],
  ],
}
const endings = ['parquet', 'json', 'csv']

const kinds: Record<string, { make(path: string): void; said: RegExp }> = {
  pipe: { make: (path) => void execFileSync('mkfifo', [path]), said: /is a named pipe, not a file/ },
  socket: { make: (path) => void createServer().listen(path).unref(), said: /is a socket, not a file/ },
  device: { make: (path) => symlinkSync('/dev/zero', path), said: /is a device, not a file/ },
  folder: { make: (path) => mkdirSync(path), said: /is a folder, not a file/ },
  nothing: { make: () => {}, said: /[Tt]here is no (such )?file/ },
}

const study = { version: 1, kind: 'signal', interval: '1h', signal: 'a', price: 'a', horizons: [1] }

async function perpscope(args: string[]) {
  let text = ''
  const sink = { write: (part: string) => (text += part) }
  const { signal } = new AbortController()
  const status = await run([...args, '--data-dir', dataFolder()], { stdout: sink, stderr: sink, env: {}, signal })
  return { status, text }
}

describe.runIf(process.platform === 'linux')('a path that is no file', () => {
  it.for(Object.keys(kinds))('is named for what it is by every command that reads a file: %s', async (kind) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
    for (const ending of endings) kinds[kind].make(join(folder, `${kind}.${ending}`))
    const answers: Record<string, string> = {}
    for (const [name, argsOf] of Object.entries(commands)) {
      const { status, text } = await perpscope(argsOf(join(folder, kind), folder))
      answers[name] = `${status > 0 ? 'refused' : 'done'}: ${text}`
    }
    const { import: imported, ...others } = answers
    // `import` accepts folders as well as files.
    if (kind !== 'folder') expect(imported).toMatch(kinds[kind].said)
    for (const answer of Object.values(others)) {
      expect(answer).toMatch(kinds[kind].said)
      expect(answer).toMatch(/^refused: (?![^]*inside Perpscope)/)
    }
  })
})

/** Commands that write a file with a given name. */
const writers: Record<string, (path: string, folder: string) => string[]> = {
  backup: (path) => ['backup', path],
  export: (path) => [
    ...['export', '--dataset', 'ohlcv', '--exchange', 'venuea-futures', '--symbol', 'perpetual-BTC-USDT:USDT'],
    ...['--interval', '1m', '--timestamp', 'exchange', '--start', '2026-09-01', '--end', '2026-09-02'],
    ...['--format', 'csv', '--out', path],
  ],
  'sql --out': (path) => ['sql', 'SELECT 1', '--format', 'csv', '--out', path],
  'report sql': (path) => ['report', 'sql', 'SELECT 1', '--out', path],
  'study panel': (path, folder) => [
    ...['study', 'panel', join(folder, 'study.json'), '--panel', join(folder, 'panel.csv'), '--out', path],
  ],
}

describe.runIf(process.platform === 'linux')('a path that is no file is not replaced by one', () => {
  it.for(['pipe', 'device'])('by any command that writes a file: %s', async (kind) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
    writeFileSync(join(folder, 'panel.csv'), 'time,symbol,a\n2026-01-01T00:00:00Z,A,1\n')
    const path = join(folder, `${kind}.csv`)
    kinds[kind].make(path)
    for (const [name, argsOf] of Object.entries(writers)) {
      const { status, text } = await perpscope(argsOf(path, folder))
      expect(text, name).toMatch(kinds[kind].said)
      expect(status, name).toBeGreaterThan(0)
      expect(lstatSync(path).isFile(), name).toBe(false)
    }
  })
})

describe.runIf(process.platform === 'linux')('a link in the place of an output', () => {
  it.for(['file', 'nothing yet'])('stays, and the file behind it is written, by every command: %s', async (behind) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
    writeFileSync(join(folder, 'panel.csv'), 'time,symbol,a\n2026-01-01T00:00:00Z,A,1\n')
    for (const [name, argsOf] of Object.entries(writers)) {
      // An export of series that are not cached writes nothing, which other tests check.
      if (name === 'export') continue
      const path = join(folder, `${name.replace(/\W+/g, '-')}.csv`)
      const real = join(folder, 'elsewhere', `${name.replace(/\W+/g, '-')}.csv`)
      mkdirSync(join(folder, 'elsewhere'), { recursive: true })
      if (behind === 'file') writeFileSync(real, 'old')
      symlinkSync(real, path)
      const { status, text } = await perpscope(argsOf(path, folder))
      expect(status, `${name}: ${text}`).toBe(0)
      expect(lstatSync(path).isSymbolicLink(), name).toBe(true)
      expect(readFileSync(real, 'utf8'), name).not.toBe('old')
    }
  })
})

it.for([
  ['EACCES', 'its permissions do not allow that'],
  ['ELOOP', 'leads back to itself'],
  ['ENXIO', 'a socket or a device'],
  ['EIO', '(EIO)'],
])('a file that cannot be opened is said to be so: %s', ([code, said]) => {
  expect(unopenedText('a.csv', code)).toContain(said)
})
