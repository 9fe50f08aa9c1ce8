import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stampsAt } from '../rawFolder.ts'
import { day, eventsOf, rawWorld, symbol, venue } from './rawWorld.ts'

const messages = ({ issues }: { issues: { message: string }[] }) => issues.map((finding) => finding.message)
const levels = ({ issues }: { issues: { level: string }[] }) => [...new Set(issues.map(({ level }) => level))]

/** Returns all Parquet files below the folder of cached files. */
const cachedFiles = (folder: string): string[] =>
  existsSync(folder)
    ? (readdirSync(folder, { recursive: true }) as string[]).filter((name) => /\.parquet/.test(name))
    : []

test('a good file is recognised, taken in byte by byte, listed, and not taken in twice', async () => {
  const { raw, client, inspect, take } = await rawWorld()
  const path = await raw.write('trades', day, eventsOf.trades())
  const [file] = await inspect(path)
  expect(file).toMatchObject({ dataset: 'trades', exchange: venue, symbol, period: day, rows: 1000, issues: [] })
  expect(file.conditions).toMatchObject({
    events: 1000,
    longestSilenceMs: 1000,
    duplicates: 0,
    outOfOrder: 0,
    zeroSizes: 0,
  })

  const [taken] = await take(path)
  expect(taken).toMatchObject({ state: 'imported', error: null })
  expect(readFileSync(taken.path!).equals(readFileSync(path))).toBe(true)
  const { files } = await client.call('cache.list', { kind: 'raw' })
  expect(files).toMatchObject([
    { origin: 'import', period: day, path: taken.path, series: { dataset: 'trades', symbol } },
  ])
  expect(await client.call('files.received', {})).toEqual([])

  expect(await take(path)).toMatchObject([{ state: 'cached' }])
})

test('another file of the same day is a conflict, and takes its place only when asked to', async () => {
  const { raw, client, inspect, take } = await rawWorld()
  await take(await raw.write('trades', day, eventsOf.trades()))
  const other = await raw.write('trades', day, eventsOf.trades(500))
  expect(await take(other)).toMatchObject([{ state: 'conflict', path: null, error: { code: 'conflict' } }])
  const [{ id }] = await inspect(other)
  const replaced = await client.call('raw.import', { files: [{ id, exchange: venue, symbol, replace: true }] })
  expect(replaced.files).toMatchObject([{ state: 'imported' }])
  const report = await client.call('cache.verify', {})
  expect(report).toMatchObject({ files: 1, broken: 0, harmless: 0 })
})

test('of two files of one day that come together the second is a conflict, and others are taken in beside them', async () => {
  const { raw, client, inspect } = await rawWorld()
  const first = await raw.write('trades', day, eventsOf.trades())
  const copies = ['a', 'b', 'c'].map((name) => join(raw.folder, `${name}.parquet`))
  copyFileSync(first, copies[0])
  copyFileSync(await raw.write('trades', day, eventsOf.trades(500)), copies[1])
  copyFileSync(await raw.write('quotes', day, eventsOf.quotes()), copies[2])
  const files = []
  for (const path of copies) files.push(...(await inspect(path)).slice(-1))
  const { files: taken } = await client.call('raw.import', {
    files: files.map(({ id }) => ({ id, exchange: venue, symbol, replace: false })),
  })
  expect(taken.map(({ id, state }) => [id, state])).toEqual(
    files.map(({ id }, at) => [id, ['imported', 'conflict', 'imported'][at]]),
  )
})

test('what is wrong with the content of a file is listed', async () => {
  const { raw, inspect } = await rawWorld()
  const odd = await raw.write(
    'trades',
    day,
    `SELECT ${stampsAt(day, 'CASE WHEN i = 5 THEN 0 ELSE i // 2 * 1000000 END')}, CAST(i // 2 AS VARCHAR) AS id,
       CASE WHEN i = 3 THEN 'bought' ELSE 'buy' END AS side, CASE WHEN i = 7 THEN 0e0 ELSE 100e0 END AS price,
       CASE WHEN i = 8 THEN 0e0 ELSE 1e0 END AS amount FROM range(10) t(i)`,
  )
  const [file] = await inspect(odd)
  expect(messages(file)).toEqual([
    'One row with a side that is not buy, sell or unknown ("bought").',
    'One event (10 %) comes after a later one.',
    '4 events appear twice.',
    'One value cannot be used: missing, negative, not finite, or a price of 0.',
  ])
  expect(file.conditions).toMatchObject({ duplicates: 4, outOfOrder: 1, zeroSizes: 1, unusable: 1 })
})

test('quotes tell how many are crossed, and how many crossed or locked', async () => {
  const { raw, inspect } = await rawWorld()
  const path = await raw.write(
    'quotes',
    day,
    `SELECT ${stampsAt(day, 'i * 1000000')}, CASE i WHEN 3 THEN 101e0 WHEN 4 THEN 102e0 WHEN 5 THEN 0e0 ELSE 100e0 END AS bid_price,
       CASE i WHEN 6 THEN 0e0 ELSE 1e0 END AS bid_amount, 101e0 AS ask_price, 1e0 AS ask_amount FROM range(10) t(i)`,
  )
  const [{ conditions }] = await inspect(path)
  expect(conditions).toMatchObject({ crossedQuotes: 2, negativeSpreads: 1, zeroSizes: 1, unknownSides: null })
})

describe('refused whole, and nothing of it stays:', () => {
  test.each<[string, string, RegExp]>([
    ['missing columns', eventsOf.trades(10).replace('AS amount', 'AS quantity'), /Column amount is missing/],
    [
      'text for numbers',
      eventsOf.trades(10).replace('0.5e0 + i % 5 AS', "'one' AS"),
      /Column amount is text, not numbers/,
    ],
    ['no rows', eventsOf.trades(0), /no rows/],
    [
      'times as numbers',
      `SELECT epoch_us(exchange_timestamp) AS exchange_timestamp, * EXCLUDE exchange_timestamp FROM (${eventsOf.trades(10)})`,
      /not a timestamp/,
    ],
    [
      'no time',
      `SELECT NULL::TIMESTAMP AS exchange_timestamp, * EXCLUDE exchange_timestamp FROM (${eventsOf.trades(10)})`,
      /10 rows without exchange_timestamp/,
    ],
    ['metric rows', 'SELECT 0::BIGINT AS time, 1e0 AS vwap', /rows of a metric/],
  ])('%s', async (_, select, expected) => {
    const { raw, take, inspect, filesDir } = await rawWorld()
    const path = await raw.write('trades', day, select)
    const [file] = await inspect(path)
    expect(levels(file)).toContain('error')
    expect(messages(file).join(' ')).toMatch(expected)
    expect(await take(path)).toMatchObject([{ state: 'failed', path: null }])
    expect(cachedFiles(filesDir)).toEqual([])
  })

  test('a CSV by another name, a file cut off, and one that is not there', async () => {
    const { raw, inspect, take, filesDir } = await rawWorld()
    const csv = join(raw.folder, 'trades_venuea-futures_perpetual-BTC-USDT:USDT_2026-09-01.parquet')
    writeFileSync(csv, 'exchange_timestamp,price\n1,2\n')
    const whole = await raw.write('trades', day, eventsOf.trades())
    const cut = join(raw.folder, 'cut.parquet')
    writeFileSync(cut, readFileSync(whole).subarray(0, 900))
    const files = await inspect(csv, cut)
    expect(files.map(messages)).toEqual([['This is not a Parquet file.'], ['The file is cut off: its end is missing.']])
    expect(files.every(({ rows }) => rows === null)).toBe(true)
    expect(await take()).toMatchObject([{ state: 'failed' }, { state: 'failed' }])
    expect(cachedFiles(filesDir)).toEqual([])
  })

  test('a file that changes after it was looked at', async () => {
    const { raw, client, inspect, filesDir } = await rawWorld()
    const path = await raw.write('trades', day, eventsOf.trades())
    const [{ id }] = await inspect(path)
    appendFileSync(path, 'more')
    const { files } = await client.call('raw.import', { files: [{ id, exchange: venue, symbol }] })
    expect(files).toMatchObject([{ state: 'failed', error: { code: 'conflict' } }])
    expect(files[0].error?.detail).toMatch(/changed since/)
    expect(cachedFiles(filesDir)).toEqual([])
  })

  test('a symbol with a slash, and a venue that is none', async () => {
    const { raw, client, inspect, filesDir } = await rawWorld()
    const [{ id }] = await inspect(await raw.write('trades', day, eventsOf.trades()))
    for (const place of [
      { exchange: venue, symbol: 'perpetual-../../X-USDT:USDT' },
      { exchange: '../..', symbol },
    ]) {
      const { files } = await client.call('raw.import', { files: [{ id, ...place }] })
      expect(files).toMatchObject([{ state: 'failed', error: { code: 'bad-input' } }])
    }
    expect(cachedFiles(filesDir)).toEqual([])
  })
})

test('the person names what nothing tells', async () => {
  const { raw, client, inspect } = await rawWorld()
  const path = join(raw.folder, 'capture.parquet')
  copyFileSync(await raw.write('quotes', day, eventsOf.quotes()), path)
  const [file] = await inspect(path)
  expect(file).toMatchObject({ dataset: 'quotes', exchange: null, symbol: null, period: day })
  expect(file.issues).toEqual([])
  const unplaced = await client.call('raw.import', { files: [{ id: file.id, exchange: '?', symbol: '?' }] })
  expect(unplaced.files).toMatchObject([{ state: 'failed', error: { code: 'bad-input' } }])
  const { files } = await client.call('raw.import', {
    files: [{ id: file.id, exchange: 'venueb-perps', symbol: 'perpetual-龙-USDT:USDT' }],
  })
  expect(files).toMatchObject([{ state: 'imported' }])
})

test('a folder is taken in with all inside it; other files than Parquet are counted and left', async () => {
  const { raw, app, client, take } = await rawWorld()
  for (let at = 1; at <= 30; at++) {
    const one = `2026-09-${String(at).padStart(2, '0')}`
    await raw.write('trades', one, eventsOf.trades(20).replaceAll(day, one))
  }
  mkdirSync(join(raw.folder, 'notes'))
  writeFileSync(join(raw.folder, 'notes', 'read.me'), '')
  await app.receiveFiles([raw.folder])
  const seen: number[] = []
  const found = await client.call('raw.inspect', {}, { onProgress: ({ done }) => seen.push(done) })
  expect([found.files.length, found.others, seen.length > 0]).toEqual([30, 1, true])
  const outcomes = await take()
  expect(outcomes.filter(({ state }) => state === 'imported')).toHaveLength(30)
  expect(await client.call('files.received', {})).toEqual([])
})

test('all that was received is imported in its order; what has a problem says which', async () => {
  const { raw, app, client } = await rawWorld()
  // A long file of a day, which takes longest to look at, comes before a short one of the same day.
  const long = await raw.write('trades', 'a-long', eventsOf.trades(60_000))
  const short = await raw.write('trades', 'b-short', eventsOf.trades(20))
  const next = await raw.write('trades', '2026-09-02', eventsOf.trades(20).replaceAll(day, '2026-09-02'))
  const nameless = join(raw.folder, 'nameless.parquet')
  copyFileSync(short, nameless)
  const broken = join(raw.folder, 'broken.parquet')
  writeFileSync(broken, 'PAR1 and nothing else')
  await app.receiveFiles([long, short, next, nameless, broken])
  const { files } = await client.call('raw.importReceived', {})
  expect(
    files.map(({ file, outcome }) => [file.name, outcome?.state ?? file.issues.map(({ message }) => message)]),
  ).toEqual([
    ['a-long.parquet', 'imported'],
    ['b-short.parquet', 'conflict'],
    ['2026-09-02.parquet', 'imported'],
    ['nameless.parquet', ['The venue was not recognised.', 'The symbol was not recognised.']],
    ['broken.parquet', [expect.any(String)]],
  ])
  expect((await client.call('cache.verify', {})).files).toBe(2)
})

test('cancelled while all that was received is imported, what is in stays and the rest comes with the next call', async () => {
  const { raw, app, client } = await rawWorld()
  for (let at = 1; at <= 9; at++) {
    const one = `2026-09-0${at}`
    await raw.write('trades', one, eventsOf.trades(20).replaceAll(day, one))
  }
  await app.receiveFiles([raw.folder])
  const controller = new AbortController()
  const onProgress = ({ message }: { message: string }) => message.startsWith('5 of') && controller.abort()
  await expect(client.call('raw.importReceived', {}, { signal: controller.signal, onProgress })).rejects.toThrow()
  const { files, broken } = await client.call('cache.verify', {})
  expect([files < 9, broken]).toEqual([true, 0])
  const again = await client.call('raw.importReceived', {})
  const states = again.files.map(({ outcome }) => outcome?.state)
  expect([states.length, states.filter((state) => state === 'cached').length]).toEqual([9, files])
  expect((await client.call('cache.verify', {})).files).toBe(9)
})

test('cancelled, what is in stays and the rest can be taken in later', async () => {
  const { raw, app, client } = await rawWorld()
  for (const one of ['2026-09-01', '2026-09-02', '2026-09-03'])
    await raw.write('trades', one, eventsOf.trades(20).replaceAll(day, one))
  await app.receiveFiles([raw.folder])
  const { files } = await client.call('raw.inspect', {})
  const wanted = files.map(({ id }) => ({ id, exchange: venue, symbol }))
  const controller = new AbortController()
  const onProgress = ({ message }: { message: string }) => message.includes('09-02') && controller.abort()
  await expect(
    client.call('raw.import', { files: wanted }, { signal: controller.signal, onProgress }),
  ).rejects.toThrow()
  const report = await client.call('cache.verify', {})
  expect(report).toMatchObject({ broken: 0, harmless: 0 })
  expect(report.files).toBeLessThan(3)
  const again = await client.call('raw.import', { files: wanted })
  expect(again.files.map(({ state }) => state).filter((state) => state === 'cached')).toHaveLength(report.files)
  expect(again.files.filter(({ path }) => path !== null)).toHaveLength(3)
  expect((await client.call('cache.verify', {})).files).toBe(3)
})

test('dismissed files are forgotten and stay where they are', async () => {
  const { raw, client, inspect } = await rawWorld()
  const path = await raw.write('trades', day, eventsOf.trades())
  await inspect(path)
  await client.call('raw.dismiss', {})
  expect(await client.call('files.received', {})).toEqual([])
  expect(existsSync(path)).toBe(true)
})
