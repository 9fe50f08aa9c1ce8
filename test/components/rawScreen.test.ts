import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import { numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { expect, it } from 'vitest'
import type { EventConditions, RawFileEntry } from '#shared/contract/areas/raw.ts'
import { conditionLines, dayStrips, measures } from '../../renderer/views/raw/fileConditions.ts'
import { eventTableColumns, foundEventColumns, sizeUnit } from '../../renderer/views/raw/eventColumns.ts'
import { parseLocation } from '../../renderer/views/raw/useEngines.ts'
import { instantInAddress, instantOf, intervalOf, minutesOf } from '../../renderer/views/raw/rawSelection.ts'

const conditions = (more: Partial<EventConditions> = {}): EventConditions => ({
  events: 100,
  firstMs: 0,
  lastMs: 1000,
  firstArrivalMs: 1,
  lastArrivalMs: 1001,
  longestSilenceMs: 10,
  silenceStartMs: 5,
  duplicates: 0,
  outOfOrder: 0,
  arrivalsOutOfOrder: 0,
  crossedQuotes: null,
  negativeSpreads: null,
  zeroSizes: 0,
  unknownSides: 0,
  modelledArrivals: 0,
  modelledTimes: 0,
  unusable: 0,
  ...more,
})
const file = (
  dataset: string,
  startDay: number,
  days = 1,
  found: EventConditions | null = conditions(),
): RawFileEntry => ({
  dataset,
  period: `${startDay}+${days}`,
  startDay,
  endDay: startDay + days,
  origin: 'import',
  sizeBytes: 1,
  rows: 1,
  fetchedAt: 0,
  conditions: found,
})
const measure = (name: string) => measures.find(({ value }) => value === name)!

it.each<[typed: string, place: ReturnType<typeof parseLocation>]>([
  ['/mnt/raw/', { kind: 'folder', address: '/mnt/raw' }],
  ['C:/raw', { kind: 'folder', address: 'C:/raw' }],
  ['s3://bucket/raw', { kind: 'folder', address: 's3://bucket/raw' }],
  ['table:raw', { kind: 'database', name: 'raw' }],
  ['table:raw; DROP TABLE x', null],
  ['table:', null],
  ['s3://', null],
  ['raw', null],
  ["/mnt/it's", null],
  ['/mnt/*', null],
])('takes “%s” for the place of events at an engine', (typed, place) => expect(parseLocation(typed)).toEqual(place))

it('puts a field on each day of each dataset; days without a file stay empty', () => {
  const strips = dayStrips([
    file('trades', 10),
    file('trades', 13, 1, conditions({ events: 50 })),
    file('quotes', 11, 1, null),
  ])
  expect([strips.datasets, strips.firstDay, strips.days]).toEqual([['trades', 'quotes'], 10, 4])
  const intensity = strips.intensityOf(measure('events'))
  expect([0, 1, 2, 3].map((day) => intensity(0, day))).toEqual([1, null, null, 0.5])
  expect([strips.fileAt(1, 1)?.startDay, strips.fileAt(1, 2), intensity(1, 1)]).toEqual([11, null, null])
})

it('shows the file of a day rather than that of its month', () => {
  const strips = dayStrips([file('trades', 10, 30), file('trades', 15)])
  expect([strips.fileAt(0, 5)?.period, strips.fileAt(0, 6)?.period, strips.days]).toEqual(['15+1', '10+30', 30])
})

it('measures shares of the events, and nothing where the dataset has no such thing', () => {
  const quotes = conditions({ crossedQuotes: 20 })
  const strips = dayStrips([file('quotes', 1, 1, quotes), file('trades', 1)])
  expect(measure('crossed').read(quotes)).toBe(0.2)
  expect([0, 1].map((row) => strips.intensityOf(measure('crossed'))(row, 0))).toEqual([1, null])
})

it('marks on the card what is odd, and leaves out what the dataset cannot have', () => {
  const card = conditionLines(conditions({ duplicates: 3, modelledArrivals: 100 }), 'utc')
  expect(card.filter(({ isOdd }) => isOdd).map(({ name, message }) => `${name} ${message}`)).toEqual([
    expect.stringMatching(/^Duplicates 3 \(3\.000 %\)/),
    expect.stringMatching(/^Modelled arrivals 100 \(100\.000 %\)/),
  ])
  expect(card.some(({ name }) => /quotes|spreads/.test(name))).toBe(false)
})

it('reads a time alone as one of the day, and refuses what is no time', () => {
  const at = (text: string) => instantOf(text, '2026-09-01')
  expect(at('13:45:00.123456')).toBe(Date.parse('2026-09-01T13:45:00.123Z'))
  expect(at('9:05')).toBe(Date.parse('2026-09-01T09:05:00Z'))
  expect(at('2026-09-02 10:00')).toBe(Date.parse('2026-09-02T10:00:00Z'))
  expect(at('2026-09-02T10:00+02:00')).toBe(Date.parse('2026-09-02T08:00:00Z'))
  expect(at('2026-09-02')).toBe(Date.parse('2026-09-02'))
  expect(at('noon')).toBeNull()
})

it('reads from an address what belongs to its own tab, and not what another has left there', () => {
  expect(minutesOf({ minutes: '60', interval: '1m' })).toBe('60')
  expect(['1m', '1d', '', '7', '15'].map((interval) => minutesOf({ minutes: '', interval }))).toEqual([
    ...['5', '5', '5', '5'],
    '15',
  ])
  expect(['15', '', '90m'].map((interval) => intervalOf({ interval }))).toEqual(['1m', '1m', '90m'])
  expect(instantInAddress({ at: '2026-09-01T09:05:00.000Z' })).toBe(Date.parse('2026-09-01T09:05:00Z'))
  expect(['depth 5', 'volume', ''].map((at) => instantInAddress({ at }))).toEqual([null, null, null])
})

it('names the unit of sizes at the venue in the head of the column', () => {
  const unitOf = (exchange: string) =>
    eventTableColumns('trades', exchange, venuesOfDocuments).find(({ key }) => key === 'amount')?.unit
  expect([unitOf('venuea-futures'), unitOf('venueb-perps')]).toEqual(['base asset', 'contracts'])
  expect(sizeUnit('elsewhere', venuesOfDocuments)).toBe('unit unknown')
  expect(eventTableColumns('mark_price', 'venuec-perps', venuesOfDocuments).map(({ key }) => key)[2]).toBe(
    'exchange_timestamp_kind',
  )
})

it('shows events of a dataset that only the service describes with the columns of its file and the service’s words', () => {
  const columns = [numberColumn('row', [1]), timeColumn('exchange_timestamp', [0]), textColumn('cause', ['auction'])]
  const frame = { rows: 1, columns: [...columns, numberColumn('price', [0.1])] }
  const shown = foundEventColumns(frame, [{ name: 'cause', description: 'Why it was closed' }])
  expect(shown.map(({ key, kind, hint }) => [key, kind, hint])).toEqual([
    ['row', 'count', undefined],
    ['exchange_timestamp', 'time', ''],
    ['cause', 'text', 'Why it was closed'],
    ['price', 'ratio', ''],
  ])
  expect(shown.at(-1)?.format?.(1234.56789)).toBe('1234.56789')
})
