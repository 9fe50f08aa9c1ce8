import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run as runCommandLine } from '../../../electron/cli/run.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { sharedByTests } from '../../fakes/sharedByTests.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.parse('2026-03-01')
const HOURS = 20 * 24
const symbols = ['AAA', 'BBB', 'CCC', 'DDD'].map((base) => `perpetual-${base}-USDT:USDT`)
const KNOWN_AFTER_HOURS = 6

/** The days that are known by then are also a dataset of their own. */
const PAST_MS = START + 12 * DAY

const closeOf = (symbol: number, hour: number) => 100 + 10 * Math.sin(hour / (5 + symbol)) + symbol
const flowOf = (symbol: number, day: number) => Math.cos(day * (symbol + 1.3))
const iso = (ms: number) => new Date(ms).toISOString()

async function perpscope(dataDir: string, ...args: string[]) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof written) => ({ write: (text: string) => void (written[name] += text) })
  const signal = new AbortController().signal
  const status = await runCommandLine([...args, '--data-dir', dataDir], {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: {},
    signal,
  })
  return { status, ...written }
}

function file(dataDir: string, name: string, lines: readonly string[]): string {
  const path = join(dataDir, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const source = { exchanges: ['some-venue'], symbols: null, timestamp: 'exchange' }
const range = { version: 1, interval: '1h', start: '2026-03-01', end: '2026-03-31' }

async function result(study: object, ...args: string[]) {
  const { dataDir } = made()
  const path = file(dataDir, 'study.json', [JSON.stringify({ ...range, ...study })])
  const { status, stdout, stderr } = await perpscope(dataDir, 'study', 'run', path, '--json', ...args)
  return { status, stderr, result: stdout === '' ? null : (JSON.parse(stdout) as Record<string, unknown>) }
}

/** The last bar stands for three bars more. */
const closeKnownAt = (symbol: number, hour: number) =>
  hour < HOURS + 3 ? String(closeOf(symbol, Math.min(hour, HOURS - 1))) : ''

/** The rows of a day stand from six hours after its end, for at most three days. */
function flowKnownAt(symbol: number, hour: number): string {
  const day = Math.floor((hour + 1 - KNOWN_AFTER_HOURS) / 24) - 1
  return day < 0 || day > 19 ? '' : String(flowOf(symbol, day))
}

/** A data folder with the datasets, and the panel in which their rows are joined. */
const made = sharedByTests(async (ending) => {
  const dataDir = dataFolder(ending)
  const hours = Array.from({ length: HOURS }, (_, hour) => hour)
  const days = Array.from({ length: HOURS / 24 }, (_, day) => day)
  const bars = hours.flatMap((hour) =>
    symbols.map((symbol, at) => `${iso(START + hour * HOUR)},${symbol},${closeOf(at, hour)}`),
  )
  const flows = days.flatMap((day) =>
    symbols.map((symbol, at) => `${iso(START + day * DAY)},${symbol},${flowOf(at, day)}`),
  )
  const isPast = (day: number) => START + (day + 1) * DAY + KNOWN_AFTER_HOURS * HOUR <= PAST_MS
  const past = flows.filter((_, row) => isPast(days[Math.floor(row / symbols.length)]))
  // The last row of the daily dataset becomes known after the last hour of the other.
  const joined = [...hours, ...Array.from({ length: KNOWN_AFTER_HOURS }, (_, more) => HOURS + more)].flatMap((hour) =>
    symbols.map(
      (symbol, at) =>
        `${iso(START + hour * HOUR)},some-venue/${symbol},${closeKnownAt(at, hour)},${flowKnownAt(at, hour)}`,
    ),
  )
  const panel = file(dataDir, 'panel.csv', ['time,symbol,close,flow', ...joined])
  for (const args of [
    ['bars', file(dataDir, 'bars.csv', ['time,symbol,close', ...bars])],
    ['flow', file(dataDir, 'flow.csv', ['time,symbol,value', ...flows]), '--known-after', `${KNOWN_AFTER_HOURS}h`],
    ['past', file(dataDir, 'past.csv', ['time,symbol,value', ...past]), '--known-after', `${KNOWN_AFTER_HOURS}h`],
    ['macro', file(dataDir, 'macro.csv', ['time,rate', ...days.map((day) => `${iso(START + day * DAY)},${day % 5}`)])],
  ])
    expect(await perpscope(dataDir, 'data', 'add', ...args)).toMatchObject({ status: 0 })
  return { dataDir, panel }
})

const studies = [
  { kind: 'signal', horizons: [1, 4], quantiles: 2, signal: 'flow', price: 'close' },
  { kind: 'seasonality', value: 'diff(log(close)) * flow', by: 'hour' },
  { kind: 'events', when: 'flow > 0.5', price: 'close', before: 2, after: 4 },
  { kind: 'spells', when: 'flow > 0', price: 'close', horizons: [2, 6], signal: 'rank(flow, 24)' },
  { kind: 'screen', columns: ['flow'], templates: ['x', 'rank(x, 48)'], price: 'close', horizons: [1], shifts: 9 },
]

/** The same study of the datasets. */
const ofOwnData = (study: object, flow = 'own_flow') =>
  JSON.parse(
    JSON.stringify(study)
      .replaceAll('close', 'own_bars.close')
      .replaceAll(/\bflow\b/g, `${flow}.value`),
  ) as object

/** A result without its document, whose names of columns differ, and its warnings. */
function figures(answer: Record<string, unknown> | null) {
  const { study: _study, warnings: _warnings, ...others } = answer ?? {}
  return JSON.parse(JSON.stringify(others).replaceAll(/own_(?:flow|past)\.value/g, 'flow')) as object
}

test.each(studies)('a $kind study of own data alone is that of the panel joined by hand', async (study) => {
  const fromPanel = await result({ ...study, source: null }, '--panel', made().panel)
  const fromOwn = await result({ ...ofOwnData(study), source })
  expect({ panel: fromPanel.stderr, own: fromOwn.status, status: fromPanel.status }).toMatchObject({
    own: 0,
    status: 0,
  })
  expect(figures(fromOwn.result)).toEqual(figures(fromPanel.result))
})

test.each(studies)('rows that become known after its end change nothing in a $kind study', async (study) => {
  const [all, past] = await Promise.all(
    ['own_flow', 'own_past'].map((flow) => result({ ...ofOwnData(study, flow), source, end: iso(PAST_MS) })),
  )
  expect([all.status, past.status, all.stderr]).toMatchObject([0, 0, past.stderr])
  expect(figures(past.result)).toEqual(figures(all.result))
})

test('rows that belong to no instrument need one to stand beside', async () => {
  const study = { kind: 'seasonality', value: 'own_macro.rate', by: 'hour', source }
  const refused = await result(study)
  expect(refused.status).not.toBe(0)
  expect(refused.stderr).toContain('own_macro stands beside every instrument and names none: name source.symbols')
  expect(await result({ ...study, source: { ...source, symbols: symbols.slice(0, 1) } })).toMatchObject({ status: 0 })
})

test('a range in which nothing becomes known is refused', async () => {
  const study = {
    kind: 'seasonality',
    value: 'own_bars.close',
    by: 'hour',
    source,
    start: '2025-01-01',
    end: '2025-02-01',
  }
  const { status, stderr } = await result(study)
  expect(status).not.toBe(0)
  expect(stderr).toContain('No row of own_bars becomes known in the range of the study.')
})
