import fc from 'fast-check'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEventBus } from '#core/eventBus.ts'
import { createOwnData } from '#core/own/ownData.ts'
import { mayBePublishedLater } from '#core/own/ownPlan.ts'
import { asKnown, countKnown, ownerOf, rowsSinceKnown } from '#shared/formula/ownData.ts'
import { dataFolder } from '../../fakes/dataFolder.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { noRuns } from '../../fakes/noRuns.ts'
import { openTestStore } from '../../fakes/openTestStore.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const MINUTE_MS = 60_000

/** Rows of a random dataset, when they are known, and a grid to join them to. */
const joins = fc
  .record({
    steps: fc.uniqueArray(fc.integer({ min: -40, max: 200 }), { maxLength: 60 }),
    values: fc.array(fc.oneof(fc.double({ noNaN: true }), fc.constant(NaN)), { minLength: 61, maxLength: 61 }),
    intervalMinutes: fc.constantFrom(null, 1, 5, 15, 60),
    knownAfterMinutes: fc.integer({ min: 0, max: 90 }),
    gridMinutes: fc.constantFrom(1, 5, 60),
    firstSlot: fc.integer({ min: -3, max: 5 }),
    rows: fc.integer({ min: 0, max: 40 }),
  })
  .map(({ steps, values, intervalMinutes, knownAfterMinutes, gridMinutes, ...grid }) => {
    const stepMinutes = intervalMinutes ?? 1
    const timesUs = Float64Array.from(
      steps.toSorted((a, b) => a - b),
      (step) => step * stepMinutes * MINUTE_MS * 1000,
    )
    return {
      rows: { timesUs, values: Float64Array.from(values.slice(0, timesUs.length)) },
      timing: {
        intervalMs: intervalMinutes === null ? null : intervalMinutes * MINUTE_MS,
        knownAfterMs: knownAfterMinutes * MINUTE_MS,
      },
      grid: { intervalMs: gridMinutes * MINUTE_MS, ...grid },
    }
  })

const cellsOf = ({ values, valid }: { values: Float64Array; valid: Uint8Array | null }) =>
  [...values].map((value, row) => (valid && !valid[row] ? null : value))

test('a row has the last value known at its end, as far as it is not too old', () => {
  fc.assert(
    fc.property(joins, ({ rows, timing, grid }) => {
      const { intervalMs: bar, knownAfterMs } = timing
      const joinedByHand = Array.from({ length: grid.rows }, (_, row) => {
        const endMs = (grid.firstSlot + row + 1) * grid.intervalMs
        let found: number | null = null
        rows.timesUs.forEach((us, at) => {
          const knownMs = us / 1000 + (bar ?? 0) + knownAfterMs
          if (knownMs > endMs) return
          const isTooOld = bar !== null && endMs - knownMs > 3 * bar
          found = isTooOld || !Number.isFinite(rows.values[at]) ? null : rows.values[at]
        })
        return found
      })
      expect(cellsOf(asKnown(rows, timing, grid))).toEqual(joinedByHand)
    }),
  )
})

test('what becomes known after an instant changes nothing that ends by it', () => {
  fc.assert(
    fc.property(joins, fc.integer({ min: 0, max: 200 }), ({ rows, timing, grid }, minutes) => {
      const cutUs = minutes * MINUTE_MS * 1000
      const delayUs = ((timing.intervalMs ?? 0) + timing.knownAfterMs) * 1000
      const known = rows.timesUs.findLastIndex((us) => us + delayUs <= cutUs) + 1
      const cut = { timesUs: rows.timesUs.subarray(0, known), values: rows.values.subarray(0, known) }
      const before = Math.max(0, Math.min(grid.rows, Math.floor(cutUs / 1000 / grid.intervalMs) - grid.firstSlot))
      expect(cellsOf(asKnown(cut, timing, grid)).slice(0, before)).toEqual(
        cellsOf(asKnown(rows, timing, grid)).slice(0, before),
      )
      for (const count of [countKnown, rowsSinceKnown])
        expect(cellsOf(count(cut.timesUs, timing, grid)).slice(0, before)).toEqual(
          cellsOf(count(rows.timesUs, timing, grid)).slice(0, before),
        )
    }),
  )
})

test('rows of the symbol stand before those of its base, and capitals count', () => {
  const btc = { exchange: 'somewhere', symbol: 'perpetual-BTC-USDT:USDT' }
  const base = { exchange: null, symbol: 'BTC' }
  const own = { exchange: null, symbol: 'perpetual-BTC-USDT:USDT' }
  const all = { exchange: null, symbol: null }
  expect(ownerOf([base, own, all], btc)).toBe(1)
  expect(ownerOf([all, { exchange: 'elsewhere', symbol: own.symbol }, base], btc)).toBe(2)
  expect(ownerOf([base, { ...base, exchange: 'somewhere' }], btc)).toBe(1)
  expect(ownerOf([{ exchange: null, symbol: 'btc' }], btc)).toBe(-1)
  expect(ownerOf([], btc)).toBe(-1)
  const spot = { exchange: 'somewhere', symbol: 'ETH-USDT' }
  expect(ownerOf([all, { exchange: null, symbol: 'ETH-USDT' }], spot)).toBe(1)
})

function setup() {
  const dataDir = dataFolder()
  const store = openTestStore(dataDir)
  const own = createOwnData({ store, clock: fakeClock(), bus: createEventBus(() => {}), ledger: noRuns })
  onTestFinished(() => own.close())
  const folder = temporaryFolder()
  const write = (name: string, content: string | Uint8Array) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
  const options = { signal: new AbortController().signal, progress: () => undefined }
  const add = (paths: readonly string[], more: Partial<Parameters<typeof own.add>[0]> = {}) =>
    own.add({ name: 'flows', events: false, knownAfter: '0d', units: {}, ...more }, paths, options)
  const stored = () => (existsSync(join(dataDir, 'files/own')) ? readdirSync(join(dataDir, 'files/own')) : [])
  return { dataDir, store, own, write, add, stored, options }
}

const head = 'time,symbol,v\n'
const hour = (n: number) => `2026-07-03T${String(n).padStart(2, '0')}:00:00Z`

/** Files that cannot become a dataset, with what the sentence must say of the place. */
const badFiles: [what: string, content: string | Uint8Array, says: RegExp, more?: object][] = [
  ['empty', '', /empty/],
  ['only blanks', '\n\n\n', /empty/],
  ['a head without rows', head, /no row/],
  ['no time', 'when,v\n1,2\n', /column of times.*when, v/],
  ['a column twice', 'time,v,v\n2026-07-03,1,2\n', /line 1, column v/],
  ['columns that differ in case', 'time,v,V\n2026-07-03,1,2\n', /line 1, column V/],
  ['a cell too few', `${head}${hour(0)},BTC\n`, /line 2: the row has 2 cells; the head has 3/],
  ['a cell too many', `${head}${hour(0)},BTC,1,2\n`, /line 2/],
  ['a quote without end', `${head}${hour(0)},"BTC,1\n`, /line 2.*quote/],
  ['no symbol', `${head}${hour(0)},,1\n`, /line 2, column symbol/],
  ['no time in a row', `${head},BTC,1\n`, /line 2, column time/],
  ['a day that is none', `${head}2026-02-30,BTC,1\n`, /line 2, column time/],
  ['an hour that is none', `${head}2026-07-03T24:00:00Z,BTC,1\n`, /line 2, column time/],
  ['a time with words', `${head}noon,BTC,1\n`, /line 2, column time/],
  ['a time of another zone', `${head}2026-07-03T00:00:00+02:00,BTC,1\n`, /line 2, column time/],
  ['a local order of days', `${head}03.07.2026,BTC,1\n`, /line 2, column time/],
  ['eight digits of a day', `${head}20260703,BTC,1\n`, /line 2, column time.*2026-07-03/],
  ['a fraction of seconds', `${head}1783036800.5,BTC,1\n`, /line 2, column time/],
  ['too large a number', `${head}99999999999999999999,BTC,1\n`, /line 2, column time/],
  ['two units', `${head}1783036800,BTC,1\n1783040400000,BTC,2\n`, /line 3, column time/],
  ['an instant after seconds', `${head}1783036800,BTC,1\n${hour(1)},BTC,2\n`, /line 3, column time/],
  ['seconds after an instant', `${head}${hour(1)},BTC,2\n1783036800,BTC,1\n`, /line 3, column time/],
  ['one row', `${head}${hour(0)},BTC,1\n`, /--interval.*--events/],
  [
    'steps that divide no day',
    `${head}${hour(0)},BTC,1\n${hour(7)},BTC,1\n${hour(14)},BTC,1\n`,
    /--interval.*--events/,
  ],
  ['month ends', `${head}2026-06-30,BTC,1\n2026-07-31,BTC,1\n`, /--interval.*--events/],
  ['two grids', `${head}${hour(0)},BTC,1\n2026-07-03T00:30:00Z,ETH,1\n${hour(1)},BTC,1\n${hour(2)},BTC,1\n`, /line 3/],
  ['off the grid that was given', `${head}2026-07-03T00:30:00Z,BTC,1\n`, /line 2/, { interval: '1h' }],
  ['a text in a column that was asked for', `${head}${hour(0)},BTC,1x\n`, /line 2, column v/, { columns: ['v'] }],
  ['a text in a column with a unit', `${head}${hour(0)},BTC,1x\n`, /line 2, column v/, { units: { v: 'quote' } }],
  ['a comma for a point', `time;symbol;v\n${hour(0)};BTC;1,5\n${hour(1)};BTC;1,5\n`, /line 2.*1,5/],
  ['only texts', `time,v\n${hour(0)},a\n${hour(1)},b\n`, /line 2/],
  ['a column that is not there', `${head}${hour(0)},BTC,1\n`, /no column w/, { columns: ['w'] }],
  ['a unit of a column that is not there', `${head}${hour(0)},BTC,1\n`, /no column w/, { units: { w: 'none' } }],
  ['a time column that is not there', `${head}${hour(0)},BTC,1\n`, /no column w/, { time: 'w' }],
  ['a symbol column that is not there', `${head}${hour(0)},BTC,1\n`, /no column w/, { symbol: 'w' }],
  ['a label without events', `${head}${hour(0)},BTC,1\n`, /--events/, { label: 'symbol' }],
  ['events with an interval', `${head}${hour(0)},BTC,1\n`, /--interval or --events/, { events: true, interval: '1h' }],
  ['an interval that divides no day', `${head}${hour(0)},BTC,1\n`, /divide a day/, { interval: '7h' }],
  ['a delay that is none', `${head}${hour(0)},BTC,1\n`, /not a duration/, { knownAfter: '-1h' }],
  ['a name with a capital', `${head}${hour(0)},BTC,1\n`, /“Flows”/, { name: 'Flows' }],
  ['Parquet by name only', 'PAR1 and no more', /not a Parquet|cut off|too/, {}],
]

test.each(badFiles)('%s: refused in one sentence, and nothing is added', async (what, content, says, more = {}) => {
  const { own, write, add, stored } = setup()
  const path = write(what.startsWith('Parquet') ? 'bad.parquet' : 'bad.csv', content)
  const error = await add([path], more).then(
    () => null,
    (thrown: { detail?: string }) => thrown,
  )
  expect(error?.detail).toMatch(says)
  expect(error?.detail).not.toContain('\n')
  expect(own.list()).toEqual([])
  expect(stored()).toEqual([])
})

test('what is not a file is refused with its name', async () => {
  const { add, write } = setup()
  const folder = join(write('x.csv', ''), '..', 'empty')
  mkdirSync(folder)
  await expect(add([join(folder, 'nothing.csv')])).rejects.toMatchObject({ detail: /There is no file/ })
  await expect(add([folder])).rejects.toMatchObject({ detail: /no CSV or Parquet files/ })
})

test('a second dataset of the same name is refused, and the first one stays', async () => {
  const { own, write, add } = setup()
  const path = write('a.csv', `${head}${hour(0)},BTC,1\n${hour(1)},BTC,2\n`)
  await add([path])
  await expect(add([path])).rejects.toMatchObject({ code: 'conflict' })
  expect(own.show('flows')).toMatchObject({ rows: 2 })
})

test('a refresh says what changed by row, and keeps what was read before', async () => {
  const { own, store, write, add, options } = setup()
  const path = write('a.csv', `${head}${hour(0)},BTC,1\n${hour(1)},BTC,2\n${hour(2)},BTC,3\n`)
  await add([path])
  const [before] = store.ownData.parts('flows')
  writeFileSync(path, `${head}${hour(0)},BTC,1\n${hour(1)},BTC,2.5\n${hour(3)},BTC,4\n${hour(4)},BTC,5\n`)
  expect(await own.refresh('flows', [], options)).toEqual({
    ...{ name: 'flows', added: 2, changed: 1, removed: 1 },
    paths: [path],
  })
  expect(own.show('flows')).toMatchObject({ rows: 4 })
  expect(existsSync(store.kept.pathOf(before.sha256))).toBe(true)
  expect(await own.refresh('flows', [], options)).toMatchObject({ name: 'flows', added: 0, changed: 0, removed: 0 })
})

test('a refresh of a file that has become bad leaves the dataset as it was', async () => {
  const { own, write, add, options, stored } = setup()
  const path = write('a.csv', `${head}${hour(0)},BTC,1\n${hour(1)},BTC,2\n`)
  await add([path])
  writeFileSync(path, `${head}${hour(0)},BTC\n`)
  await expect(own.refresh('flows', [], options)).rejects.toMatchObject({ detail: /a\.csv, line 2/ })
  expect(own.show('flows')).toMatchObject({ rows: 2 })
  expect(stored()).toEqual(['flows'])
})

test('what a killed add left behind is gone at the next start', async () => {
  const { dataDir, store, add, write, stored } = setup()
  await add([write('a.csv', `${head}${hour(0)},BTC,1\n${hour(1)},BTC,2\n`)])
  const folder = join(dataDir, 'files/own')
  mkdirSync(join(folder, '.adding-4194304-abc/month=2026-07'), { recursive: true })
  mkdirSync(join(folder, 'others/month=2026-07'), { recursive: true })
  writeFileSync(join(folder, 'flows/month=2026-07/half.parquet'), '')
  const again = createOwnData({ store, clock: fakeClock(), bus: createEventBus(() => {}), ledger: noRuns })
  onTestFinished(() => again.close())
  expect(stored()).toEqual(['flows'])
  const [{ sha256 }] = store.ownData.parts('flows')
  expect(readdirSync(join(folder, 'flows/month=2026-07'))).toEqual([`${sha256.slice(0, 32)}.parquet`])
})

test('many rows in any order, of several months, are read as they were written', async () => {
  const { own, write, add, options } = setup()
  const startMs = Date.UTC(2026, 4, 30)
  const rows = Array.from({ length: 20_000 }, (_, at) => ({
    time: startMs + Math.floor(at / 4) * 900_000,
    symbol: `S${at % 4}`,
    v: at / 7,
  }))
  const shuffled = rows.map((row, at) => ({ row, key: (at * 7919) % 20_011 })).sort((a, b) => a.key - b.key)
  const csv = shuffled.map(({ row: { time, symbol, v } }) => `${time},${symbol},${v}`).join('\n')
  const { added } = await add([write('many.csv', `${head}${csv}\n`)])
  expect(added).toMatchObject({ rows: 20_000, duplicates: 0, interval: '15m', time: { unit: 'ms' } })
  const found: unknown[] = []
  for (let nextMs: number | null = startMs; nextMs !== null;) {
    const page = await own.rows(
      { name: 'flows', columns: [], startMs: nextMs, endMs: startMs + 1e11, limitRows: 100 },
      options,
    )
    const [times, symbols, values] = page.rows.columns
    for (let row = 0; row < page.rows.rows; row++)
      found.push({
        time: times.values[row],
        symbol: symbols.kind === 'text' ? symbols.dictionary[symbols.values[row]] : null,
        v: values.values[row],
      })
    nextMs = page.nextMs
  }
  expect(found).toEqual(rows)
})

test('a file modified long after its last row says nothing of when its rows were published', async () => {
  const { store, write, add } = setup()
  const path = write('late.csv', `${head}${hour(0)},BTC,1\n${hour(1)},BTC,2\n`)
  utimesSync(path, new Date('2026-07-03T02:30:00Z'), new Date('2026-07-03T02:30:00Z'))
  await add([path], { name: 'soon' })
  utimesSync(path, new Date('2026-07-09'), new Date('2026-07-09'))
  await add([path], { name: 'late' })
  await add([path], { name: 'said', knownAfter: '6d' })
  const isLate = (name: string) => mayBePublishedLater(store.ownData.read(name).record)
  expect(['soon', 'late', 'said'].map(isLate)).toEqual([false, true, false])
})
