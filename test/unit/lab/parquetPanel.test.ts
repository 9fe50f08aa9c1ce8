import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer'
import { runPanelStudy } from '#core/lab/panelStudy.ts'
import { parsePanelTime } from '#shared/lab/panelCells.ts'
import { parseStudy } from '#shared/lab/parseStudy.ts'
import { CsvStream } from '#shared/units/csvStream.ts'
import { describe, expect, it } from 'vitest'
import { studyDifferences } from '../../conformance/compareStudies.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const data = join(import.meta.dirname, '..', '..', 'conformance', 'data', 'studies')
const readText = (file: string) => readFileSync(join(data, file), 'utf8')

interface Case {
  id: string
  study: string
  panel: string
  against?: string
  expected?: string
}
const cases = (JSON.parse(readText('cases.json')) as Case[]).filter(
  ({ expected, panel }) => expected && panel.endsWith('.csv'),
)

function tableOf(text: string): { header: string[]; rows: string[][] } {
  const rows: string[][] = []
  const stream = new CsvStream((cells) => void rows.push(cells))
  stream.push(text)
  stream.end()
  const [header, ...rest] = rows
  return { header, rows: rest }
}

type Writer = (name: string, cells: readonly string[]) => ColumnSource
const isNumber = /^\s*([+-]?[\d.]+(e[+-]?\d+)?)?\s*$|^\s*[+-]?(nan|null|inf|infinity)\s*$/i

/** Reads a cell of a CSV panel as a number; null if the cell is empty or says `null`. */
const numberOf = (cell: string): number | null => {
  const text = cell.trim().toLowerCase()
  if (text === '' || text.endsWith('null')) return null
  return text.includes('inf') ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text)
}
const isTrue = (cell: string): boolean => /^(true|1)$/i.test(cell)

const wholeTimes: Writer = (name, cells) => ({
  name,
  type: 'INT64',
  data: cells.map((cell) => BigInt(parsePanelTime(cell) ?? 0)),
})
const timestamps: Writer = (name, cells) => ({
  name,
  type: 'TIMESTAMP',
  data: cells.map((cell) => new Date(parsePanelTime(cell) ?? 0)),
})
const flags: Writer = (name, cells) => ({ name, type: 'BOOLEAN', data: cells.map(isTrue), nullable: true })
const numbersForFlags: Writer = (name, cells) => ({
  name,
  type: 'INT32',
  data: cells.map((cell) => (/^(|null)$/i.test(cell) ? null : Number(isTrue(cell)))),
  nullable: true,
})
const texts: Writer = (name, cells) => ({ name, type: 'STRING', data: [...cells], nullable: true })

/** Ways to write the same rows, by types of time and member and by number of rows in a row group. */
const spellings: { called: string; time: Writer; member: Writer; rowGroupSize: number }[] = [
  { called: 'whole milliseconds, booleans', time: wholeTimes, member: flags, rowGroupSize: 100_000 },
  { called: 'timestamps, 0 and 1', time: timestamps, member: numbersForFlags, rowGroupSize: 7 },
  { called: 'whole milliseconds, texts', time: wholeTimes, member: texts, rowGroupSize: 13 },
]

function parquetOf(file: string, { time, member, rowGroupSize }: (typeof spellings)[number], folder: string): string {
  const { header, rows } = tableOf(readText(file))
  const columnData = header.map((name, at): ColumnSource => {
    const cells = rows.map((row) => row[at])
    if (name === 'time') return time(name, cells)
    if (name === 'member') return member(name, cells)
    if (name === 'symbol' || !cells.every((cell) => isNumber.test(cell))) return texts(name, cells)
    return { name, type: 'DOUBLE', data: cells.map(numberOf), nullable: true }
  })
  const path = join(folder, `${file.replaceAll('/', '-')}.parquet`)
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize })))
  return path
}

/** Runs a case. @param storage folder for cells on disk, and how many of their bytes may stay in memory */
async function runCase(
  testCase: Case,
  pathOf: (file: string) => string,
  storage: { scratchFolder: string; mostMemoryBytes?: number } = { scratchFolder: '' },
): Promise<unknown> {
  const study = parseStudy(JSON.parse(readText(testCase.study)), { fromCache: false })
  const against = testCase.against === undefined ? null : { path: pathOf(testCase.against) }
  return runPanelStudy({ study, rows: { path: pathOf(testCase.panel) }, against, ...storage }, () => undefined)
}

it('reads the timestamps of 96 bits that Spark writes', async () => {
  const study = parseStudy(JSON.parse(readText('studies/v01-micro-signal.json')), { fromCache: false })
  const path = join(import.meta.dirname, '..', '..', 'fixtures', 'panels', 'int96.parquet')
  const task = { study, rows: { path }, against: null, scratchFolder: temporaryFolder() }
  const result = await runPanelStudy(task, () => undefined)
  expect(studyDifferences(JSON.parse(readText('expected/v01-micro-signal.json')), result)).toEqual([])
})

describe.each(spellings)('a panel in Parquet with $called', (spelling) => {
  it('gives every case of the conformance set the result of the same rows in CSV', async () => {
    const folder = temporaryFolder()
    const paths = new Map<string, string>()
    const pathOf = (file: string) => {
      const path = paths.get(file) ?? parquetOf(file, spelling, folder)
      paths.set(file, path)
      return path
    }
    expect(cases.length).toBeGreaterThan(20)
    for (const one of cases) {
      const ofCsv = await runCase(one, (file) => join(data, file))
      expect(await runCase(one, pathOf), one.id).toEqual(ofCsv)
      const inBlocks = await runCase(one, pathOf, { scratchFolder: folder, mostMemoryBytes: 0 })
      expect(inBlocks, `${one.id} in blocks`).toEqual(ofCsv)
    }
  })
})

const START_MS = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000
const good: ColumnSource[] = [
  {
    name: 'time',
    type: 'INT64',
    data: BigInt64Array.from({ length: 40 }, (_, row) => BigInt(START_MS + Math.floor(row / 4) * HOUR_MS)),
  },
  { name: 'symbol', type: 'STRING', data: Array.from({ length: 40 }, (_, row) => 'ABCD'[row % 4]) },
  { name: 'close', type: 'DOUBLE', data: Float64Array.from({ length: 40 }, (_, row) => 100 + ((row * 7) % 11)) },
]
const withColumn = (column: ColumnSource) => [...good.filter(({ name }) => name !== column.name), column]
const filled = <Value>(first: Value, rest: Value) => [first, ...new Array<Value>(39).fill(rest)]

it.each([
  [
    'an empty time',
    { name: 'time', type: 'INT64', data: filled<bigint | null>(null, 0n), nullable: true },
    'row 1: the column time is empty.',
  ],
  [
    'a time in text',
    { name: 'time', type: 'STRING', data: filled('2026-01-01T00:00Z', '') },
    'the column time holds text, not times.',
  ],
  ['a time off the grid', { name: 'time', type: 'INT64', data: filled(5n, 0n) }, 'row 1 is off the grid: its time 5 '],
  [
    'a time that is no whole number',
    { name: 'time', type: 'DOUBLE', data: filled(0.5, 0) },
    'row 1: 0.5 in the column time is not a time.',
  ],
  ['numbers for symbols', { name: 'symbol', type: 'INT32', data: filled(1, 2) }, 'the column symbol is not text.'],
  [
    'a symbol without a name',
    { name: 'symbol', type: 'STRING', data: filled('', 'A') },
    `row 1 (time ${START_MS}): the column symbol is empty.`,
  ],
  [
    'a member that is 2',
    { name: 'member', type: 'INT32', data: filled(2, 1) },
    'row 1: 2 in the column member is not true or false.',
  ],
  [
    'a member that is yes',
    { name: 'member', type: 'STRING', data: filled('yes', 'true') },
    'row 1: “yes” in the column member is not',
  ],
] satisfies [string, ColumnSource, string][])(
  'a panel with %s is refused by its file and row',
  async (_what, column, message) => {
    const path = join(temporaryFolder(), 'odd.parquet')
    writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData: withColumn(column) })))
    const study = parseStudy({ version: 1, kind: 'signal', interval: '1h', signal: 'close' }, { fromCache: false })
    const running = runPanelStudy({ study, rows: { path }, against: null, scratchFolder: '' }, () => undefined)
    await expect(running).rejects.toThrow(`odd.parquet: ${message}`)
  },
)

it('a column named like a function is a column where nothing is called, and a boolean one is not numeric', async () => {
  const path = join(temporaryFolder(), 'names.parquet')
  const close = good[2]
  const columnData = [
    ...good,
    { ...close, name: 'sma' },
    { name: 'up', type: 'BOOLEAN' as const, data: filled(true, false) },
  ]
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData })))
  const run = (signal: string) => {
    const study = parseStudy(
      { version: 1, kind: 'signal', interval: '1h', signal, horizons: [1], quantiles: 2 },
      { fromCache: false },
    )
    return runPanelStudy({ study, rows: { path }, against: null, scratchFolder: '' }, () => undefined)
  }
  const [named, plain] = [await run('sma(sma, 2)'), await run('sma(close, 2)')]
  expect({ ...named, study: null }).toEqual({ ...plain, study: null })
  await expect(run('up')).rejects.toThrow('signal: The column up is not numeric.')
})
