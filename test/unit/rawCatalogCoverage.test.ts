import { expect, test } from 'vitest'
import { coverageRows } from '#core/discovery/rawCatalogDocument.ts'
import { dayNumberOf as day } from '#shared/time/periods.ts'

const rowOf = (entry: unknown) => {
  const { rows, problems } = coverageRows({ liquidations: { 'gamma-perps': { 'perpetual-A-B:B': entry } } })
  return { row: rows.at(0), problems }
}
const range = { first: '2026-05-11', last: '2026-08-04', days: 80 }

test('missing days of the catalog are joined, sorted and cut to the range, whatever form they have', () => {
  const missing = [
    '2026-08-03T00:00:00Z',
    '2026-07-02',
    'soon',
    '2026-07-01',
    7,
    null,
    '2026-05',
    '2026-08-04',
    '2026-07-01',
  ]
  expect(rowOf({ ...range, missing, bytes: 1234.6 })).toEqual({
    row: {
      ...{ dataset: 'liquidations', exchange: 'gamma-perps', symbol: 'perpetual-A-B:B' },
      ...{ firstDay: day('2026-05-11'), lastDay: day('2026-08-04'), days: 80, sizeBytes: 1235 },
      missing: [
        [day('2026-05-11'), day('2026-06-01')],
        [day('2026-07-01'), day('2026-07-03')],
        [day('2026-08-03'), day('2026-08-05')],
      ],
    },
    problems: [],
  })
})

test('a catalog that does not name missing days or sizes says nothing about them', () => {
  expect(rowOf(range).row).toMatchObject({ missing: null, sizeBytes: null })
  expect(rowOf({ ...range, missing: 5, bytes: 'many' }).row).toMatchObject({ missing: null, sizeBytes: null })
  expect(rowOf({ ...range, missing: [], bytes: 0 }).row).toMatchObject({ missing: [], sizeBytes: 0 })
})

test('days written as instants are days', () => {
  const written = { first: '2026-05-11T00:00:00.000Z', last: '2026-08-04 00:00', days: 3 }
  expect(rowOf(written).row).toMatchObject({ firstDay: day('2026-05-11'), lastDay: day('2026-08-04') })
  expect(rowOf({ ...written, last: 'Tuesday' })).toMatchObject({ row: undefined, problems: [expect.any(String)] })
})
