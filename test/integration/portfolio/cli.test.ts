import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { returnsOfPrices } from '#shared/portfolio/benchmark.ts'
import { returnsWarnings } from '#shared/portfolio/dailySeries.ts'
import { tearSheet } from '#shared/portfolio/tearSheet.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import { run } from '../../../electron/cli/run.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { compileCacheEnv } from '../../fakes/compileCacheEnv.ts'
import { seededRandom } from '../../fuzz/target.ts'
import { fakeService, sendJson } from '../../fakes/fakeService.ts'
import { startCachedSandbox, type TestSandbox } from '../../fakes/testSandbox.ts'
import { program } from '../../fakes/commandLine.ts'

let sandbox: TestSandbox
let dataDir: string
beforeAll(async () => {
  sandbox = await startCachedSandbox()
  dataDir = mkdtempSync(join(tmpdir(), 'perpscope-portfolio-'))
  await perpscope('connection', 'add', 'desk', '--portfolio-url', sandbox.url)
  await perpscope('connection', 'use', 'desk')
})
afterAll(async () => {
  await sandbox.close()
  rmSync(dataDir, { recursive: true, force: true })
})

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

function perpscope(...args: string[]): Promise<Ended> {
  const env = {
    ...compileCacheEnv,
    PATH: process.env.PATH,
    HOME: dataDir,
    PERPSCOPE_DATA_DIR: dataDir,
    PERPSCOPE_API_KEY: sandbox.keys['3'],
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = { status: null, stdout: '', stderr: '' } as Ended
  child.stdout.on('data', (chunk: Buffer) => (ended.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (ended.stderr += chunk.toString()))
  return new Promise((resolve) => child.on('close', (status) => resolve({ ...ended, status })))
}

test('a history has the shape of the service with --json, and comes from here with --offline', async () => {
  const prices = ['portfolio', 'prices', '--ticker', 'BTC, HYPE', '--start', '2026-09-01', '--end', '2026-09-03']
  const served = (await sandbox.api('/price?ticker=BTC,HYPE&start_date=2026-09-01&end_date=2026-09-03')).json()
  const online = await perpscope(...prices, '--json')
  expect(online.status).toBe(0)
  const { learned: freshness, ...document } = JSON.parse(online.stdout) as { learned: object }
  expect(document).toEqual(served)
  expect(freshness).toMatchObject({ asked: true, source: sandbox.url })
  const offline = await perpscope('--offline', ...prices)
  expect(offline.status).toBe(0)
  // The request did not ask for later days, so its last day is not where the data end.
  expect(offline.stderr).not.toContain('the data end')
  const wide = await perpscope('portfolio', 'prices', '--ticker', 'BTC', '--start', '2026-09-10')
  expect(wide.stderr).toContain('the data ends on 2026-09-14')
  expect(offline.stdout.split('\n')).toHaveLength(5)
  expect(offline.stdout).toMatch(/^DATE +BTC +HYPE\n2026-09-01 /)
  const elsewhere = await perpscope('--offline', 'portfolio', 'prices', '--ticker', 'ETH')
  expect(elsewhere).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('not in the cache') })
})

test('live answers and lists have the shape of the service with --json', async () => {
  const documents = async (...args: string[]) => {
    const { learned: freshness, ...document } = JSON.parse(
      (await perpscope('portfolio', ...args, '--json')).stdout,
    ) as object & {
      learned: unknown
    }
    expect(freshness).toBeDefined()
    return document
  }
  const served = async (path: string) => (await sandbox.api(path)).json()
  expect(await documents('weights', '--portfolio', 'momentum_ls.20', '--as-of', 'latest')).toEqual(
    await served('/portfolio/live-weights?portfolio=momentum_ls.20&as_of=latest'),
  )
  expect(await documents('regime-live', '--overlay', 'market_trend')).toEqual(
    await served('/risk-regime-live?overlay=market_trend'),
  )
  expect(await documents('tickers', '--id', 'momentum', '--universe-size', '20')).toEqual(
    await served('/portfolio/tickers?id=momentum&universe_size=20'),
  )
})

test('impossible arguments are refused before the service is asked; its own refusals are printed in its words', async () => {
  const before = sandbox.stats().apiRequests
  for (const args of [
    ['returns', '--portfolio', 'momentum_ls.20', '--smoothing', '7'],
    ['returns'],
    ['universe', '--size', '50'],
    ['tickers', '--id', 'momentum', '--universe-size', 'all'],
    ['returns', '--portfolio', 'p', '--start', '2026-02-30'],
    ['returns', '--portfolio', 'p', '--start', '2026-02-02', '--end', '2026-02-01'],
  ])
    expect(await perpscope('portfolio', ...args), args.join(' ')).toMatchObject({ status: 2, stdout: '' })
  expect(sandbox.stats().apiRequests).toBe(before)
  expect(await perpscope('portfolio', 'returns', '--portfolio', 'nobody.20')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('Unknown portfolio: nobody.20'),
  })
})

const goldenReturns = [0.01, -0.02, 0.015, 0, -0.005, 0.03, -0.01, 0.004, -0.012, 0.02]
const goldenFigures = {
  totalReturn: 0.03133515306338719,
  cagr: 2.0838515508352478,
  volatility: 0.2992163839839731,
  sharpe: 3.9035295609432974,
  sortino: 7.4745207464184436,
  maxDrawdown: -0.02,
  calmar: 104.19257754176229,
  varHistorical: -0.0164,
  varParametric: -0.022561206254670434,
  cvar: -0.02,
  skewness: 0.2554376940115984,
  kurtosis: -0.7294896374971795,
  ulcer: 0.010651229335414793,
  winRate: 0.5555555555555556,
  omega: 1.6808510638297873,
  tailRatio: 1.554878048780487,
}

test('the tear sheet has the figures of the golden vector, also without the service', async () => {
  const index = goldenReturns.map((_, at) => `2026-01-${String(at + 1).padStart(2, '0')}`)
  const data = [...goldenReturns, null]
  const service = await fakeService((_, response) =>
    sendJson(response, { data, index: [...index, '2026-01-11'], columns: ['returns'] }),
  )
  await perpscope('connection', 'add', 'golden', '--portfolio-url', service.url)
  const sheet = ['--connection', 'golden', 'portfolio', 'tearsheet', '--portfolio', 'p']
  expect(await perpscope(...sheet)).toMatchObject({ status: 0 })
  const asked = service.requests.length

  const { status, stdout } = await perpscope('--offline', ...sheet, '--json')
  expect(status).toBe(0)
  const document = JSON.parse(stdout) as {
    figures: Record<string, number>
    years: { months: (number | null)[] }[]
    drawdowns: { start: string; recovery: string | null }[]
  }
  for (const [id, value] of Object.entries(goldenFigures))
    expect(Math.abs(document.figures[id] / value - 1), id).toBeLessThan(1e-12)
  expect(document.years[0].months.slice(1)).toEqual(Array.from({ length: 11 }, () => null))
  expect(document.drawdowns.map(({ start, recovery }) => [start, recovery])).toEqual([
    ['2026-01-02', '2026-01-06'],
    ['2026-01-07', '2026-01-10'],
  ])

  const withRate = await perpscope('--offline', ...sheet, '--format', 'csv', '--risk-free', '5')
  const sharpe = /^figures,sharpe,value,(.*)$/m.exec(withRate.stdout)
  expect(Number(sharpe?.[1])).toBeCloseTo(3.7404588607471485, 10)
  const table = await perpscope('--offline', ...sheet, '--quiet')
  expect(table.stdout).toContain('365 days a year, sample standard deviation, risk-free 0 %')
  expect(table.stdout).toMatch(/^Sharpe +3\.90 {2}Mean of \(r − daily risk-free\)/m)
  expect(table.stderr).toBe('')
  expect(service.requests).toHaveLength(asked)
})

test('a tear sheet of no returns is blank, never “not a number”, and says why', async () => {
  const service = await fakeService((_, response) =>
    sendJson(response, { data: [null, null], index: ['2026-01-01', '2026-01-02'], columns: ['returns'] }),
  )
  await perpscope('connection', 'add', 'silent', '--portfolio-url', service.url)
  const sheet = ['--connection', 'silent', 'portfolio', 'tearsheet', '--portfolio', 'p']
  const { status, stdout, stderr } = await perpscope(...sheet)
  expect(status).toBe(0)
  expect(stderr).toContain('No day in this range has a return')
  expect(stdout).not.toMatch(/NaN|not a number|infinity/i)
  expect(await perpscope(...sheet, '--risk-free', 'much')).toMatchObject({ status: 2, stdout: '' })
})

test('a tear sheet of the user’s own returns has the same figures, and asks for their unit', async () => {
  const file = join(dataDir, 'own.csv')
  writeFileSync(
    file,
    `date,return\n${goldenReturns.map((value, at) => `${dayFromNumber(dayNumberOf('2026-01-01') + at)},${value}\n`).join('')}`,
  )
  const sheet = ['portfolio', 'tearsheet', '--returns', file]
  const { status, stderr } = await perpscope(...sheet, '--json')
  expect({ status, asks: stderr.includes('--percent if 1.2 means 1.2 %') }).toEqual({ status: 2, asks: true })
  const document = JSON.parse((await perpscope(...sheet, '--fraction', '--json')).stdout) as {
    figures: Record<string, number>
    warnings: unknown
    portfolio: string
  }
  for (const [id, value] of Object.entries(goldenFigures))
    expect(Math.abs(document.figures[id] / value - 1), id).toBeLessThan(1e-12)
  expect(document).toMatchObject({ portfolio: 'own.csv', warnings: [], coverage: null })
  expect(await perpscope(...sheet, '--portfolio', 'p')).toMatchObject({ status: 2 })
  writeFileSync(file, 'date,return\n2026-01-01,much\n')
  expect(await perpscope(...sheet, '--fraction')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('own.csv cannot be read: line 2: “much” is not a number') as string,
  })
})

test('the user’s own weights become returns with the served prices', async () => {
  const file = join(dataDir, 'weights.csv')
  const days = ['2026-01-01', '2026-01-02', '2026-01-03']
  writeFileSync(
    file,
    ['date,ticker,weight', ...days.flatMap((day) => [`${day},BTC,0.5`, `${day},NOSUCH,0.25`]), ''].join('\n'),
  )
  const sheet = ['portfolio', 'tearsheet', '--returns', file, '--json']
  const { status, stdout, stderr } = await perpscope(...sheet)
  expect(status, stderr).toBe(0)
  const { coverage, warnings, daily } = JSON.parse(stdout) as {
    coverage: number
    warnings: unknown
    daily: { index: string[]; returns: number[] }
  }
  const asked = ['portfolio', 'prices', '--ticker', 'BTC', '--start', days[0], '--end', days[2], '--json']
  const { data } = JSON.parse((await perpscope(...asked)).stdout) as { data: number[] }
  expect(daily.index).toEqual(days.slice(1))
  daily.returns.forEach((value, at) => expect(value).toBeCloseTo(0.5 * (data[at + 1] / data[at] - 1), 12))
  expect(coverage).toBeCloseTo(2 / 3, 12)
  expect(warnings).toEqual([
    { line: 3, kind: 'price', detail: 'NOSUCH lacks prices, first on 2026-01-01, so it contributes 0 on 2 days' },
  ])
})

test('the tear sheet of a sandbox portfolio stands beside a benchmark', async () => {
  const sheet = [
    'portfolio',
    'tearsheet',
    '--portfolio',
    'momentum_ls.20',
    '--start',
    '2025-01-01',
    '--benchmark',
    'BTC',
  ]
  const { status, stdout } = await perpscope(...sheet, '--json')
  expect(status).toBe(0)
  const { benchmark, rolling } = JSON.parse(stdout) as {
    benchmark: { ticker: string; figures: Record<string, number> }
    rolling: { figures: Record<string, number> }
  }
  expect(benchmark.ticker).toBe('BTC')
  expect(benchmark.figures.commonDays).toBeGreaterThan(365)
  expect(Math.abs(benchmark.figures.correlation)).toBeLessThanOrEqual(1)
  expect(rolling.figures.rollingBeta).toBeTypeOf('number')
})

/** Runs a command in the test's own process, which is faster. */
async function runHere(...args: string[]): Promise<string> {
  let stdout = ''
  const status = await run([...args, '--data-dir', dataDir], {
    stdout: { write: (text) => ((stdout += text), true) },
    stderr: { write: () => true },
    env: { PERPSCOPE_API_KEY: sandbox.keys['3'] },
    signal: new AbortController().signal,
  })
  expect(status, args.join(' ')).toBe(0)
  return stdout
}

const noProblems = { duplicateDays: 0, outOfOrder: 0, invalidDates: 0, invalidValues: 0 }

test('the tear sheet of a range is the one that the window computes from the whole history', async () => {
  const asSeries = async (...request: string[]) => {
    const { data, index } = JSON.parse(await runHere('portfolio', ...request, '--json')) as {
      data: (number | number[] | null)[]
      index: string[]
    }
    const values = Float64Array.from(data, (cell) => [cell].flat()[0] ?? NaN)
    const days = Int32Array.from(index, (day) => Date.parse(day) / MS_PER_DAY)
    return { days, values, valid: Uint8Array.from(values, (value) => Number(!Number.isNaN(value))) }
  }
  const returns = await asSeries('returns', '--portfolio', 'momentum_ls.20')
  const benchmark = returnsOfPrices(await asSeries('prices', '--ticker', 'BTC'))
  const draw = seededRandom(18)
  for (let round = 0; round < 50; round++) {
    const at = Math.floor(draw() * (returns.days.length - 2))
    const [startDay, lastDay] = [
      returns.days[at],
      returns.days[at + 1 + Math.floor(draw() * 400)] ?? returns.days.at(-1)!,
    ]
    const range = ['--start', dayFromNumber(startDay), '--end', dayFromNumber(lastDay)]
    const sheet = ['portfolio', 'tearsheet', '--portfolio', 'momentum_ls.20', ...range, '--benchmark', 'BTC', '--json']
    const {
      figures,
      benchmark: against,
      years,
      windows,
      rolling,
      daily,
      warnings,
    } = JSON.parse(await runHere(...sheet)) as {
      figures: unknown
      benchmark: { figures: unknown }
      years: unknown
      windows: { id: string; name: string; start: string | null; figures: unknown }[]
      rolling: { windowDays: number; figures: Record<string, number | null> }
      daily: Record<'rollingSharpe' | 'rollingVolatility', (number | null)[]>
      warnings: string[]
    }
    const today = Math.floor(Date.now() / MS_PER_DAY)
    const expected = tearSheet(returns, { startDay, endDay: lastDay + 1, benchmark, today })
    const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
    expect([range, figures, against.figures, years]).toEqual([
      range,
      plain(expected.figures),
      plain(expected.benchmark?.figures),
      plain(expected.years),
    ])
    expect(windows).toEqual(
      plain(
        expected.windows.map(({ startDay: from, ...one }) => ({
          ...one,
          start: from === null ? null : dayFromNumber(from),
        })),
      ),
    )
    const cells = ({ values, valid }: { values: Float64Array; valid: Uint8Array | null }) =>
      Array.from(values, (value, row) => (valid?.[row] === 0 ? null : value))
    expect(daily.rollingSharpe).toEqual(cells(expected.rolling.sharpe))
    expect(daily.rollingVolatility).toEqual(cells(expected.rolling.volatility))
    expect(rolling).toMatchObject({
      windowDays: 365,
      figures: {
        rollingSharpe: daily.rollingSharpe.at(-1),
        rollingBeta: expected.benchmark ? (cells(expected.benchmark.rollingBeta).at(-1) ?? null) : null,
      },
    })
    expect(warnings).toEqual(returnsWarnings(returns, noProblems))
  }
})

test('the tear sheet warns of losses above 100 % and defines each figure, on every face', async () => {
  const index = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04']
  const service = await fakeService((_, response) =>
    sendJson(response, { data: [0.01, -1.47, 0.02, 0.01], index, columns: ['returns'] }),
  )
  await perpscope('connection', 'add', 'ruined', '--portfolio-url', service.url)
  const sheet = ['--connection', 'ruined', 'portfolio', 'tearsheet', '--portfolio', 'p', '--start', '2026-01-03']
  const { stdout, stderr } = await perpscope(...sheet, '--benchmark', 'BTC')
  expect(stderr).toContain('1 value is below −100 % (first on 2026-01-02)')
  expect(stdout).toMatch(/^CAGR .*365\/n/m)
  expect(stdout).toMatch(/^Alpha .*risk-free rate is not subtracted/m)
  const { warnings, definitions } = JSON.parse((await perpscope(...sheet, '--json')).stdout) as {
    warnings: string[]
    definitions: { id: string; formula: string }[]
  }
  expect(warnings).toEqual([expect.stringContaining('below −100 %')])
  expect(definitions.find(({ id }) => id === 'cagr')?.formula).toContain('days that have a return')
  const csv = (await perpscope(...sheet, '--format', 'csv')).stdout
  expect(csv).toMatch(/^definitions,cagr,formula,"?Final equity to the power of 365\/n/m)
  expect(csv).toMatch(/^about,p,warning,/m)
})
