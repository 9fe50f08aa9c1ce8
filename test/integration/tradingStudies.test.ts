import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import type { ResultOf } from '#shared/lab/runStudy.ts'
import { studyDifferences } from '../conformance/compareStudies.ts'
import { run } from '../../electron/cli/run.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { fakeService, sendJson } from '../fakes/fakeService.ts'

/** Studies of schedules, costs and clocks through the command line, against results of an independent program. */

const folder = join(import.meta.dirname, '..', 'fixtures', 'along-time')
const pathOf = (kind: string, file: string) => join(folder, kind, file)
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>

/** Runs commands on a data folder of their own. */
function commandLine() {
  const dataDir = dataFolder()
  const runHere = async (...args: string[]) => {
    const written = { stdout: '', stderr: '' }
    const sink = (name: keyof typeof written) => ({ write: (text: string) => void (written[name] += text) })
    const context = { stdout: sink('stdout'), stderr: sink('stderr'), env: { PERPSCOPE_API_KEY: 'key' } }
    const status = await run([...args, '--data-dir', dataDir], { ...context, signal: new AbortController().signal })
    return { status, ...written }
  }
  return { dataDir, runHere }
}

describe('a study on a panel', () => {
  it.each([
    ['v03-micro-schedule', 'micro-hours'],
    ['v04-micro-costs', 'micro-costs'],
    ['v14-schedule', 'trading'],
    ['v15-schedule-week', 'trading'],
    ['v16-costs', 'trading'],
    ['v17-costs-spread', 'trading'],
    ['v24-per-notional', 'pair'],
  ])('%s has the expected result', async (id, panel) => {
    const args = [
      'study',
      'run',
      pathOf('studies', `${id}.json`),
      '--panel',
      pathOf('panels', `${panel}.csv`),
      '--json',
    ]
    const { status, stdout, stderr } = await commandLine().runHere(...args)
    expect(status, stderr).toBe(0)
    const result: unknown = JSON.parse(stdout)
    const expected = readJson(pathOf('expected', `${id}.json`))
    expect(studyDifferences(expected, result)).toEqual([])
    // Impacts are far below the tolerance of other numbers.
    const impactsOf = (result: unknown) =>
      (result as ResultOf<'costs'>).symbols.flatMap(({ calibration }) => [
        calibration?.impliedImpact ?? 0,
        calibration?.medianImpact ?? 0,
      ])
    if (expected.kind !== 'costs') return
    const found = impactsOf(result)
    impactsOf(expected).forEach((impact, at) => expect(Math.abs(found[at] - impact)).toBeLessThanOrEqual(1e-9 * impact))
  })

  it.each([
    ['e04-reference', 'micro-costs', 'reference'],
    ['e06-clocks', 'micro', 'panel'],
  ])('%s is refused', async (id, panel, says) => {
    const args = [
      'study',
      'run',
      pathOf('studies', `${id}.json`),
      '--panel',
      pathOf('panels', `${panel}.csv`),
      '--json',
    ]
    const { status, stdout, stderr } = await commandLine().runHere(...args)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(says)
  })
})

const names = readJson(join(folder, 'clocks', 'names.json')) as {
  symbols: Record<string, string>
  datasets: string[]
}
const VENUE = 'venuea-futures'

/** Writes rows of a clock as a file of the service; a cell without a number is null. */
function clockFile(symbol: string, dataset: string, clock: string): Uint8Array {
  const text = readFileSync(join(folder, 'clocks', VENUE, names.symbols[symbol], `${dataset}.${clock}.csv`), 'utf8')
  const [header, ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  const columnData = header.map((name, at) =>
    name === 'time'
      ? { name, type: 'INT64' as const, data: BigInt64Array.from(rows, (row) => BigInt(row[at])) }
      : {
          ...{ name, type: 'DOUBLE' as const, nullable: true },
          data: rows.map((row) =>
            row[at] === '' ? null : Number(row[at].replace(/^(-?)inf(inity)?$/i, '$1Infinity')),
          ),
        },
  )
  return new Uint8Array(parquetWriteBuffer({ columnData }))
}

/** Adds a connection whose service has the rows of both clocks, and downloads them. */
async function withBothClocks() {
  const { dataDir, runHere } = commandLine()
  const service = await fakeService((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://service')
    const parts = pathname.split('/')
    if (parts[1] === 'file') return void response.end(clockFile(decodeURIComponent(parts[2]), parts[3], parts[4]))
    const dataset = parts.at(-1) ?? ''
    if (!names.datasets.includes(dataset)) return sendJson(response, { error: 'not found' }, 404)
    const [symbol, clock] = [searchParams.get('symbol'), searchParams.get('timestamp')]
    const url = `${service.url}/file/${encodeURIComponent(symbol ?? '')}/${dataset}/${clock}`
    sendJson(response, { files: [{ year: 2026, month: 6, url }] })
  })
  await runHere('connection', 'add', 'clocks', '--metrics-url', service.url)
  for (const [dataset, clock] of names.datasets.flatMap((one) => [
    [one, 'exchange'],
    [one, 'true'],
  ])) {
    const args = ['--dataset', dataset, '--exchange', VENUE, '--symbol', Object.keys(names.symbols)[0]]
    const range = ['--start', '2026-06-01', '--end', '2026-06-30', '--interval', '1h']
    const { status, stderr } = await runHere('--connection', 'clocks', 'fetch', ...args, ...range, '--timestamp', clock)
    expect(status, stderr).toBe(0)
  }
  return (study: Record<string, unknown>) => {
    const path = join(dataDir, 'clocks.json')
    writeFileSync(path, JSON.stringify(study))
    return runHere('--connection', 'clocks', 'study', 'run', path, '--json')
  }
}

describe('a study of clocks', () => {
  const study = readJson(pathOf('studies', 'v25-clocks.json'))

  it('compares every column of the cache by both clocks, and refuses a column that it does not have', async () => {
    const runClocks = await withBothClocks()
    const { status, stdout, stderr } = await runClocks(study)
    expect(status, stderr).toBe(0)
    expect(studyDifferences(readJson(pathOf('expected', 'v25-clocks.json')), JSON.parse(stdout))).toEqual([])

    const chosen = await runClocks({ ...study, columns: ['ohlcv.close'] })
    expect(JSON.parse(chosen.stdout)).toMatchObject({ symbols: [{ columns: [{ column: 'ohlcv.close' }] }] })

    for (const column of ['ohlcv.closee', 'ohlvc.close', 'close']) {
      const refused = await runClocks({ ...study, columns: ['ohlcv.close', column] })
      expect([refused.status, refused.stdout]).toEqual([2, ''])
      expect(refused.stderr).toContain('columns[1]')
      expect(refused.stderr).toContain(column)
    }
  })
})
