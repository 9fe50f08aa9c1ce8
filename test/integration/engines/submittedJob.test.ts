import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { splitCommand } from '../../../electron/cli/splitCommand.ts'
import { run } from '../../../electron/cli/run.ts'
import { program as cliProgram } from '../../fakes/commandLine.ts'
import { computedFolder, hoursFrom, partColumns, writePart } from '../../fakes/computedParts.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const program = join(import.meta.dirname, '../../fakes/sparkCommand.mjs')

function openWorld() {
  const [folder, dataDir] = [temporaryFolder(), dataFolder()]
  const source = writePart(folder, 'source.parquet', partColumns(hoursFrom('2026-09-01', 48)))
  const notes = join(folder, 'notes.json')
  const out = join(folder, 'out')
  async function perpscope(args: string[], signal = new AbortController().signal) {
    let stdout = ''
    let stderr = ''
    const status = await run([...args, '--data-dir', dataDir, '--json'], {
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: (text) => (stderr += text) },
      env: {},
      signal,
    })
    const records = stdout.split('\n').filter(Boolean)
    return { status, stderr, records: records.map((line) => JSON.parse(line) as Record<string, unknown>) }
  }
  const args = (command: string, change: Record<string, string> = {}) => {
    const options: Record<string, string> = {
      dataset: 'vtwap',
      exchange: 'venuea-futures',
      symbol: 'perpetual-BTC-USDT:USDT',
      interval: '1h',
      timestamp: 'exchange',
      start: '2026-09-01',
      end: '2026-09-02',
      raw: join(folder, 'raw'),
      out,
      engine: 'spark',
      submit: command,
      ...change,
    }
    const given = Object.entries(options).filter(([, value]) => value !== '')
    return ['compute', ...given.flatMap(([name, value]) => [`--${name}`, value])]
  }
  const submit = (typed: string, change: Record<string, string> = {}, signal?: AbortSignal) =>
    perpscope(args(typed, change), signal)
  const command = (mode: string) =>
    `'${process.execPath}' ${program} ${mode} ${source} "${notes}" --master 'local[2] x'`
  const readNotes = () => JSON.parse(readFileSync(notes, 'utf8')) as { args: string[]; sql: string; pids: number[] }
  const listed = async () => (await perpscope(['ls'])).records
  return { dataDir, args, folder, out, source, submit, command, noted: readNotes, listed, perpscope }
}

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    return !existsSync(`/proc/${pid}/stat`) || !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

describe('compute --engine spark --submit', () => {
  it('runs the printed script by the command, shows its progress, and imports the files with their origin', async () => {
    const { submit, command, noted, listed, folder } = openWorld()
    const { status, stderr, records } = await submit(command('write'))
    expect(records).toMatchObject([
      { period: '2026-09-01', state: 'imported', rows: 24 },
      { period: '2026-09-02', state: 'imported', rows: 24 },
      { summary: { imported: 2, failed: 0 } },
    ])
    expect(status).toBe(0)
    expect(stderr).toContain('tasks of stage 3 done')
    const { args, sql } = noted()
    expect(args).toEqual(['--master', 'local[2] x', '-f', expect.stringMatching(/job\.sql$/)])
    expect(sql).toContain('SET spark.sql.session.timeZone = UTC')
    expect(existsSync(args[3])).toBe(false)
    const { createHash } = await import('node:crypto')
    const sqlSha256 = createHash('sha256').update(sql).digest('hex')
    expect((await listed()).map(({ computedBy }) => computedBy)).toEqual(
      [1, 2].map(() => ({ engine: 'spark', version: '4.3.0', sqlSha256, source: [join(folder, 'raw')] })),
    )
  })

  it('keeps the results nowhere but in the cache where no folder is named', async () => {
    const { submit, command, noted, out } = openWorld()
    expect((await submit(command('write'), { out: '' })).status).toBe(0)
    const [, written] = /INSERT OVERWRITE DIRECTORY '([^']+)'/.exec(noted().sql)!
    expect([existsSync(written), existsSync(out)]).toEqual([false, false])
  })

  it('says what the command said when it fails, and imports nothing', async () => {
    const { submit, command, listed } = openWorld()
    const { status, stderr } = await submit(command('fail'))
    expect(status).toBe(1)
    expect(stderr).toContain(
      'ended with exit status 2, so nothing was imported: Error in query: [TABLE_OR_VIEW_NOT_FOUND] The table raw.trades',
    )
    expect(await listed()).toEqual([])
  })

  it('refuses a command that wrote nothing, half of it, or left files of an earlier run', async () => {
    const { submit, command, listed, out } = openWorld()
    const nothing = await submit(command('nothing'))
    expect(nothing.status).toBe(1)
    expect(nothing.stderr).toContain(`${out} has no file of vtwap, perpetual-BTC-USDT:USDT on venuea-futures.`)
    const half = await submit(command('half'))
    expect(half.status).toBe(1)
    expect(half.stderr).toContain('part-00000-7.snappy.parquet: the file is cut off: its end is missing.')
    expect((await submit(command('write'), { start: '2026-09-01' })).status).toBe(0)
    const old = await submit(command('nothing'))
    expect(old.status).toBe(1)
    expect(old.stderr).toContain(
      'part-00000-7.snappy.parquet: the file was there before, and the command did not write it again.',
    )
    expect(await listed()).toHaveLength(2)
  })

  it('ends the command and all that it started when it is cancelled', async () => {
    const { submit, command, noted, listed } = openWorld()
    const controller = new AbortController()
    const ended = submit(command('hang'), {}, controller.signal)
    await vi.waitFor(() => expect(noted().pids).toHaveLength(2), { timeout: 30_000 })
    const { pids } = noted()
    controller.abort()
    expect((await ended).status).toBe(130)
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), { timeout: 30_000 })
    expect(await listed()).toEqual([])
  })

  it('is outlived by its command when it is killed, and the files are imported afterwards', async () => {
    const { command, noted, listed, perpscope, out, folder, dataDir, args } = openWorld()
    const child = spawn(process.execPath, [cliProgram, ...args(command('wait')), '--data-dir', dataDir], {
      stdio: 'ignore',
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await vi.waitFor(() => expect(noted().args).toHaveLength(4), { timeout: 50_000 })
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(join(folder, 'notes.json'))
    const success = join(out, computedFolder, '_SUCCESS')
    await vi.waitFor(() => expect(existsSync(success)).toBe(true), { timeout: 30_000 })
    expect((await perpscope(['import', '--computed', out])).status).toBe(0)
    expect(await listed()).toMatchObject([{ computedBy: { engine: 'spark' } }, { computedBy: { engine: 'spark' } }])
  })

  it('names a program that is not there', async () => {
    const { submit } = openWorld()
    const { status, stderr } = await submit('spark-sqll --master x')
    expect(status).toBe(1)
    expect(stderr).toContain('There is no program “spark-sqll”; --submit must name one that this machine can start.')
  })

  it.each([
    ['another engine', { engine: 'duckdb' }, '--submit needs --engine spark'],
    ['an address that this machine cannot read', { out: 's3://bucket/out' }, '--submit: --out must be a folder'],
    ['no raw events', { raw: '' }, '--print-sql needs --raw'],
    ['an open quote', { submit: "spark-sql --name 'x" }, 'a quote is not closed'],
    ['nothing', { submit: ' ' }, '--submit must name a command'],
    ['a pipe', { submit: 'spark-sql | tee log' }, 'the command does not run in a shell, so “|” has no effect'],
  ])('calls %s a mistake in the arguments', async (_what, change, message) => {
    const { submit, command } = openWorld()
    const { status, stderr } = await submit(command('write'), change)
    expect({ status, says: stderr.includes(message) || stderr }).toEqual({ status: 2, says: true })
  })
})

describe('the words of a command', () => {
  it.each<[string, string[]]>([
    ['spark-sql --master spark://a:7077', ['spark-sql', '--master', 'spark://a:7077']],
    [`  a  'b  c' "d \\"e\\" $HOME" f\\ g h'i j'k ''`, ['a', 'b  c', 'd "e" $HOME', 'f g', 'hi jk', '']],
    ['a --conf x=$(id) *.sql ~', ['a', '--conf', 'x=$(id)', '*.sql', '~']],
  ])('of %s', (command, words) => expect(splitCommand(command, 'submit')).toEqual(words))
})
