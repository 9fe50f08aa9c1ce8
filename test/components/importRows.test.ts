import { expect, it } from 'vitest'
import type { ImportOutcome, InspectedFile } from '#shared/contract/areas/raw.ts'
import { AppError } from '#shared/contract/errors.ts'
import { cellOf, columnOf } from '#shared/contract/frame.ts'
import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import {
  type EnteredInstrument,
  importedGroups,
  importFrame,
  importRow as importRowOf,
  isReady,
} from '../../renderer/views/raw/importRows.ts'

const file = (more: Partial<InspectedFile> = {}): InspectedFile => ({
  id: 'a',
  name: 'week/trades_2026-09-01.parquet',
  sizeBytes: 10,
  dataset: 'trades',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  period: '2026-09-01',
  rows: 5,
  hasTimeKind: false,
  issues: [],
  conditions: null,
  ...more,
})
const importRow = (inspected: InspectedFile, entered: EnteredInstrument | undefined, outcome?: ImportOutcome) =>
  importRowOf(inspected, entered, venuesOfDocuments, outcome)
const ended = (state: ImportOutcome['state'], error: string | null = null): ImportOutcome => ({
  id: 'a',
  state,
  sizeBytes: 10,
  path: error === null ? '/x' : null,
  error: error === null ? null : new AppError('conflict', error).toShape(),
})

it('imports what has no error, with the venue and symbol that the person enters', () => {
  expect(importRow(file(), undefined).state).toBe('good')
  expect(importRow(file({ issues: [{ level: 'warning', message: 'Odd.' }] }), undefined).state).toBe('doubtful')
  const placeless = file({ symbol: null })
  expect(importRow(placeless, undefined).state).toBe('refused')
  expect(isReady(importRow(placeless, { symbol: 'perpetual-龙-USDT:USDT' }))).toBe(true)
  expect(importRow(placeless, { symbol: 'perpetual-A/B-USDT:USDT' }).issues[0].message).toMatch(/without slashes/)
  expect(importRow(file(), { exchange: 'venueb-perps' })).toMatchObject({ exchange: 'venueb-perps', state: 'good' })
})

it('knows which venue’s files have the column of modelled times', () => {
  const mark = { dataset: 'mark_price', hasTimeKind: true }
  expect(importRow(file(mark), undefined).issues[0].message).toMatch(
    /is unexpected: mark_price files of venuea-futures/,
  )
  expect(importRow(file(mark), { exchange: 'venuec-perps' }).state).toBe('good')
  expect(importRow(file({ ...mark, hasTimeKind: false }), { exchange: 'venuec-perps' }).state).toBe('refused')
})

it('asks for no venue or symbol of a file that cannot be read', () => {
  const broken = file({
    rows: null,
    exchange: null,
    symbol: null,
    issues: [{ level: 'error', message: 'No Parquet.' }],
  })
  expect(importRow(broken, undefined).issues).toHaveLength(1)
})

it('tells what became of a file, the worst message first', () => {
  const noted = file({
    issues: [
      { level: 'note', message: 'Small.' },
      { level: 'warning', message: 'Odd.' },
    ],
  })
  const frame = importFrame([
    importRow(noted, undefined, ended('conflict', 'Another file is here.')),
    importRow(file({ id: 'b' }), undefined, ended('cached')),
  ])
  const cell = (name: string, row: number) => cellOf(columnOf(frame, name)!, row)
  expect([cell('state', 0), cell('words', 0)]).toEqual(['✕ not imported', 'Another file is here. Odd. Small.'])
  expect([cell('state', 1), cell('words', 1)]).toEqual(['✓ already cached', 'no problems found'])
})

it('sums up what came in by instrument', () => {
  const rows = ['2026-09-02', '2026-09-01'].map((period) =>
    importRow(file({ id: period, period }), undefined, ended('imported')),
  )
  expect(importedGroups([...rows, importRow(file(), undefined)])).toEqual([
    {
      exchange: 'venuea-futures',
      symbol: 'perpetual-BTC-USDT:USDT',
      files: 2,
      datasets: ['trades'],
      firstPeriod: '2026-09-01',
      lastPeriod: '2026-09-02',
      imported: [
        { id: '2026-09-02', dataset: 'trades', period: '2026-09-02' },
        { id: '2026-09-01', dataset: 'trades', period: '2026-09-01' },
      ],
    },
  ])
})
