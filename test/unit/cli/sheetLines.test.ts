import { expect, it } from 'vitest'
import type { WatchRow } from '#shared/contract/areas/watch.ts'
import { findingColumns } from '#shared/sheet/findings.ts'
import { column, type ReadColumn } from '#shared/sheet/sheet.ts'
import { watchColumns } from '#shared/sheet/watch.ts'
import { recordLines } from '../../../electron/cli/sheetLines.ts'

const BTC = 'perpetual-BTC-USDT:USDT'

interface File {
  name: string
  sizeBytes: number | null
  at: number
}

const columns: readonly ReadColumn<File>[] = [
  column('name', 'Name', 'text', ({ name }) => name),
  column('bytes', 'Size', 'bytes', ({ sizeBytes }) => sizeBytes),
  column('at', 'Fetched', 'time', ({ at }) => at),
]
const files: File[] = [
  { name: 'a', sizeBytes: 1500, at: Date.parse('2026-09-01T10:30:00Z') },
  { name: '価格', sizeBytes: null, at: Date.parse('2026-09-02') },
]

it('aligns numbers on the right, says the zone of times, and writes – for what is missing', () => {
  expect(recordLines(columns, files)).toEqual([
    'NAME     SIZE  FETCHED (UTC)',
    'a     1.50 kB  2026-09-01 10:30',
    '価格        –  2026-09-02 00:00',
  ])
  expect(recordLines(columns, [files[1]])).toEqual(['NAME  SIZE  FETCHED', '価格     –  2026-09-02'])
})

it('writes a sentence instead of a header without rows, or nothing', () => {
  expect(recordLines(columns, [], 'No files.')).toEqual(['No files.'])
  expect(recordLines(columns, [])).toEqual([])
})

it('shows watched symbols whole, with units, and formula columns under the names that the user gave', () => {
  const row: WatchRow = {
    exchange: 'venuea-futures',
    symbol: BTC,
    last: 60_123.4,
    change: 0.0123,
    funding_rate: null,
    funding_annualised: null,
    basis_bps: null,
    spark: [],
    funding_every: null,
    funding_basis: null,
    open_interest_change: null,
    volume_z: -1.5,
    coverage: 0.5,
    quality: 0,
    lastAt: Date.parse('2026-09-01T10:30:00Z'),
    interval: '1h',
    timestamp: 'exchange',
    values: [2.5],
  }
  const [head, line] = recordLines(watchColumns([{ name: 'mySpread', formula: 'a - b' }]), [row])
  expect(head).toMatch(/^SYMBOL +VENUE +LAST +CHANGE 24 H \(%\) +FUNDING P\.A\. \(%\) .* mySpread +CACHED 30 D \(%\)/)
  expect(line).toMatch(
    /^perpetual-BTC-USDT:USDT +venuea-futures +60.123\.40 +1\.23 +– +– +– +– +−1\.50 +2\.5.* 50\.00 +0 /,
  )
})

it('shows findings by the words that --kind takes, marks those in computed files, and keeps a 0', () => {
  const [, line] = recordLines(findingColumns, [
    {
      dataset: 'flow',
      exchange: 'venuea-futures',
      symbol: BTC,
      interval: '1m',
      timestamp: 'true',
      day: '2026-09-01',
      kind: 'order',
      column: null,
      from: Date.parse('2026-09-01T10:30:00Z'),
      to: Date.parse('2026-09-01T10:31:00Z'),
      count: 2,
      value: 0,
      expected: null,
      detail: 'rows',
      origin: 'computed',
      accepted: null,
    },
  ])
  expect(line).toMatch(
    /^order +perpetual-BTC-USDT:USDT +venuea-futures +flow \(computed\) +– +1m true +2026-09-01 10:30 +2026-09-01 10:31 +2 +0 +– +rows$/,
  )
})
