import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run as runCommandLine } from '../../../electron/cli/run.ts'
import { addMetricFiles } from '../../fakes/cacheMarket.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { sharedByTests } from '../../fakes/sharedByTests.ts'

const HOUR = 3_600_000
const START = Date.parse('2026-07-01')
const place = { exchange: 'some-venue', symbol: 'perpetual-AAA-USDT:USDT', interval: '1h' }

async function perpscope(dataDir: string, ...args: string[]) {
  const written = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof written) => ({ write: (text: string) => void (written[name] += text) })
  const status = await runCommandLine([...args, '--data-dir', dataDir, '--json'], {
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: {},
    signal: new AbortController().signal,
  })
  return { status, ...written }
}

/** Hourly prices of July, whose last row is that of 23:00 on the 31st; the last event is five and a half hours older. */
const folder = sharedByTests(async (ending) => {
  const dataDir = dataFolder(ending)
  const store = openTestStore(dataDir, ending)
  const rows = Array.from({ length: 31 * 24 }, (_, hour) => ({ time: START + hour * HOUR, close: 100 }))
  addMetricFiles(store, dataDir, { dataset: 'ohlcv', ...place, columns: ['close'], rows }, ['2026-07'])
  const csv = join(dataDir, 'unlocks.csv')
  writeFileSync(csv, 'time,symbol,size\n2026-07-03T10:00Z,AAA,7\n2026-07-31T18:30Z,AAA,9\n')
  expect(await perpscope(dataDir, 'data', 'add', 'unlock', csv, '--events')).toMatchObject({ status: 0 })
  return dataDir
})

test.each([
  ['since(own_unlock)', 'hit', 5],
  ['events(own_unlock)', 'quiet', 0],
  ['own_unlock.size * ohlcv.close', 'hit', 900],
])('a check of %s looks at the last row', async (formula, state, value) => {
  const instrument = ['--exchange', place.exchange, '--symbol', place.symbol, '--interval', '1h', '--timestamp']
  const saved = await perpscope(folder(), 'check', 'save', 'own', '--formula', formula, ...instrument, 'exchange')
  expect(saved).toMatchObject({ status: 0 })
  const { stdout } = await perpscope(folder(), 'check', 'run', 'own')
  expect(JSON.parse(stdout)).toMatchObject({ checks: [{ state, ...(state === 'hit' && { value }), why: null }] })
})

test.each([
  ['own_unlock.Size', 'own_unlock.Size: own_unlock has no column Size; did you mean own_unlock.size?'],
  ['own_unlock.other', 'own_unlock.other: own_unlock has no column other; its columns are size.'],
  ['own_unlok.size', 'own_unlok.size: there is no dataset own_unlok of your own; did you mean own_unlock?'],
  ['own.unlock.size', 'own.unlock.size: formulas write a dataset of your own in small letters, as own_unlock.'],
  ['Own_Unlock.size', 'Own_Unlock.size: formulas write a dataset of your own in small letters, as own_unlock.'],
  ['own_named.What', 'own_named.What: what is the label of own_named, and formulas read only numbers.'],
  [
    'own_named.who',
    'own_named.who: own_named was added without its column who: named.csv, line 2: “a” is not a number.',
  ],
  ['own_named.x', 'own_named.x: own_named has no column x; it has only events(own_named) and since(own_named).'],
])('a check of %s says what is wrong with the name', async (formula, why) => {
  const csv = join(folder(), 'named.csv')
  writeFileSync(csv, 'time,what,who\n2026-07-03T10:00Z,cliff,a\n')
  await perpscope(folder(), 'data', 'add', 'named', csv, '--events', '--label', 'what')
  const instrument = ['--exchange', place.exchange, '--symbol', place.symbol, '--interval', '1h', '--timestamp']
  await perpscope(folder(), 'check', 'save', 'own', '--formula', formula, ...instrument, 'exchange')
  const { stdout } = await perpscope(folder(), 'check', 'run', 'own')
  expect(JSON.parse(stdout)).toMatchObject({ checks: [{ state: 'not evaluable', why }] })
})

test('columns of Watch stand on own data, by itself or beside prices', async () => {
  const columns = 'age=since(own_unlock),size=own_unlock.size,worth=own_unlock.size*ohlcv.close'
  const { stdout, status } = await perpscope(folder(), 'watch', '--columns', columns)
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([{ symbol: place.symbol, age: 5, size: 9, worth: 900 }])
})

test('a column of Watch follows the dataset when its files are read again', async () => {
  const watch = async () =>
    (JSON.parse((await perpscope(folder(), 'watch', '--columns', 'size=own_unlock.size')).stdout) as object[])[0]
  expect(await watch()).toMatchObject({ size: 9 })
  writeFileSync(join(folder(), 'unlocks.csv'), 'time,symbol,size\n2026-07-31T20:00Z,AAA,4\n')
  expect(await perpscope(folder(), 'data', 'refresh', 'unlock')).toMatchObject({ status: 0 })
  expect(await watch()).toMatchObject({ size: 4 })
})
