import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { openFilePanel, readFilePanel } from '#core/lab/filePanel.ts'
import { writePanel } from '#core/lab/writePanel.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { runStudy } from '#shared/lab/runStudy.ts'
import { studyRange } from '#shared/lab/studyRange.ts'
import { expect, test } from 'vitest'
import { randomOf } from '../../fakes/panelWorld.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const HOUR_MS = 3_600_000
const START_MS = Date.UTC(2026, 0, 1)
const SYMBOLS = ['', ' b', 'B/USDT:USDT', 'ß', '"quoted"', 'a,b', '😀', 'Ω', 'zz']

interface Row {
  time: number
  symbol: string
  close: number | null
  a: number | null
  member: boolean | null
}

/**
 * Creates rows that no market has: in any order, duplicated, with gaps, odd names and negative prices, and one symbol
 * with a single bar.
 */
function oddRows(seed: number, times = 700): Row[] {
  const random = randomOf(seed)
  const rows: Row[] = []
  for (const name of SYMBOLS.slice(1)) {
    for (let time = 0; time < times; time++) {
      if (random() < 0.1 || (time > 200 && time < 300 && name === 'ß') || (name === 'zz' && time !== 17)) continue
      rows.push({
        time: START_MS + time * HOUR_MS,
        symbol: name,
        close: random() < 0.05 ? null : name === 'Ω' ? -random() : 1 + random(),
        a: random() < 0.05 ? null : random() < 0.02 ? Infinity : random() - 0.5,
        member: random() < 0.1 ? null : random() < 0.9,
      })
    }
  }
  const again = rows.filter(() => random() < 0.05).map((row) => ({ ...row, a: random() < 0.3 ? null : -1 }))
  const mixed = [...rows, ...again].map((row) => ({ row, place: random() }))
  return mixed.sort((a, b) => a.place - b.place).map(({ row }) => row)
}

const csvCell = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

function writeCsv(path: string, rows: readonly Row[]): string {
  const lines = rows.map(({ time, symbol, close, a, member }) =>
    [time, csvCell(symbol), close ?? '', a === Infinity ? '-inf' : (a ?? 'NaN'), member ?? ''].join(','),
  )
  writeFileSync(path, ['time,symbol,close,a,member', ...lines, ''].join('\n'))
  return path
}

function writeParquet(path: string, rows: readonly Row[]): string {
  const columnData = [
    { name: 'time', type: 'TIMESTAMP' as const, data: rows.map(({ time }) => new Date(time)) },
    { name: 'symbol', type: 'STRING' as const, data: rows.map(({ symbol }) => symbol) },
    { name: 'close', type: 'DOUBLE' as const, data: rows.map(({ close }) => close), nullable: true },
    { name: 'a', type: 'DOUBLE' as const, data: rows.map(({ a }) => a), nullable: true },
    { name: 'member', type: 'BOOLEAN' as const, data: rows.map(({ member }) => member), nullable: true },
  ]
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 1000 })))
  return path
}

const studies = [
  { kind: 'signal', signal: 'cs_zscore(sma(a, 5))', horizons: [1, 7], sampling: 'all', delayBars: 2 },
  { kind: 'signal', signal: 'cumsum(a)', start: '2026-01-03', end: '2026-01-20', quantiles: 3 },
  { kind: 'events', when: 'cs_rank(a) > 0.8', adjust: 'market', before: 5, after: 9 },
  { kind: 'leadlag', value: 'a', maxLag: 3 },
  { kind: 'seasonality', value: 'a', center: true },
].map((fields) => parseStudy({ version: 1, interval: '1h', ...fields }, { fromCache: false }))

test.each(['csv', 'parquet'])('a panel of %s in blocks has every bit of the panel in memory', async (extension) => {
  const folder = temporaryFolder()
  const scratchFolder = join(folder, 'scratch')
  for (const seed of [1, 2]) {
    const write = extension === 'csv' ? writeCsv : writeParquet
    const path = write(join(folder, `panel-${seed}.${extension}`), oddRows(seed))
    for (const study of studies) {
      const run = async (mostMemoryBytes: number, batchRows: number) => {
        const opened = await openFilePanel(study, { path }, { scratchFolder, mostMemoryBytes, batchRows })
        const result = runStudy({ study, panel: opened.panel, against: null })
        opened.close()
        return { result, isSpilled: opened.panel.tileSymbols === 1 }
      }
      const whole = await run(Infinity, 2 ** 20)
      const inBatches = await run(Infinity, 333)
      // The first batches still fit into memory in this run, but the others do not.
      const spilled = await run(100_000, 333)
      expect([whole.isSpilled, inBatches.isSpilled, spilled.isSpilled]).toEqual([false, false, true])
      expect(inBatches.result).toEqual(whole.result)
      expect(spilled.result).toEqual(whole.result)
    }
  }
  expect(readdirSync(scratchFolder)).toEqual([])
})

test.each(['csv', 'parquet'])('a panel is written to %s in blocks as it is in one piece', async (extension) => {
  const folder = temporaryFolder()
  const scratchFolder = join(folder, 'scratch')
  const path = writeCsv(join(folder, 'panel.csv'), oddRows(3))
  for (const study of studies) {
    const write = async (name: string, mostMemoryBytes: number) => {
      const out = join(folder, `${name}.${extension}`)
      const rows = await writePanel({ study, rows: { path }, against: null, scratchFolder, mostMemoryBytes }, out)
      return { out, rows }
    }
    const whole = await write('whole', Infinity)
    const inBlocks = await write('blocks', 100_000)
    expect(inBlocks.rows).toBe(whole.rows)
    expect(readFileSync(inBlocks.out).equals(readFileSync(whole.out))).toBe(true)
  }
  expect(readdirSync(folder).sort()).toEqual([`blocks.${extension}`, 'panel.csv', 'scratch', `whole.${extension}`])
  expect(readdirSync(scratchFolder)).toEqual([])
})

test('a panel that is read for a tested portfolio is the same whether its rows fit into memory or not', async () => {
  const folder = temporaryFolder()
  const scratchFolder = join(folder, 'scratch')
  const path = writeCsv(join(folder, 'panel.csv'), oddRows(4))
  const range = studyRange({ interval: '1h', start: '2026-01-03', end: '2026-01-20' })
  const read = async (mostMemoryBytes: number) => {
    let times = 0
    const panel = await readFilePanel(
      { path },
      { columns: ['close', 'a'], range },
      {
        scratchFolder,
        mostMemoryBytes,
        batchRows: 333,
        onTimes: (batch) => void (times += batch.length),
        onRead: () => undefined,
      },
    )
    return { panel, times }
  }
  const whole = await read(Infinity)
  expect(await read(100_000)).toEqual(whole)
  expect(whole.times).toBeGreaterThan(whole.panel.rows)
  expect(readdirSync(scratchFolder)).toEqual([])
})

const refused: [string, string, string][] = [
  ['a row off the grid', `${START_MS},x,1,1,\n${START_MS + 1},y,1,1,`, 'row 2 is off the grid'],
  ['no row in range', `${START_MS - HOUR_MS},x,1,1,`, 'no row is in the range'],
  ['an empty symbol', `${START_MS},,1,1,`, 'the column symbol is empty'],
  ['a last row in a far future', `${START_MS},x,1,1,\n${START_MS + HOUR_MS * 1e9},x,1,1,`, 'GiB of memory'],
]

test.each(refused)('a panel in blocks with %s is refused as one in memory is', async (_, rows, message) => {
  const folder = temporaryFolder()
  const path = join(folder, 'panel.csv')
  writeFileSync(path, `time,symbol,close,a,member\n${rows}\n`)
  const study = parseStudy(
    { version: 1, kind: 'signal', interval: '1h', signal: 'a', start: '2026-01-01' },
    { fromCache: false },
  )
  for (const mostMemoryBytes of [0, 2 ** 30]) {
    const options = { scratchFolder: join(folder, 'scratch'), mostMemoryBytes }
    const reading = { columns: ['a', 'close'], range: studyRange(study) }
    const nothing = { onTimes: () => undefined, onRead: () => undefined }
    for (const open of [
      () => openFilePanel(study, { path }, options),
      () => readFilePanel({ path }, reading, { ...options, ...nothing }),
    ]) {
      await expect(open()).rejects.toThrow(message)
      await expect(open()).rejects.toThrow('panel.csv: ')
    }
  }
})
