import { expect, it } from 'vitest'
import { columnOf, numberColumn, textColumn } from '#shared/contract/frame.ts'
import { scanFrame, scanTableColumns } from '../../../renderer/views/workbench/scanTable.ts'

const scanned = {
  rows: 1,
  columns: [
    textColumn('symbol', ['perpetual-BTC-USDT:USDT']),
    numberColumn('value', [0.00025]),
    numberColumn('z', [2]),
  ],
}
const facts = { label: 'Funding rate', kind: 'rate', unit: 'none' } as const

it('shows a funding rate in bps, and what is no rate as it is', () => {
  const frame = scanFrame(scanned, facts)!
  const valueIn = (name: string) => (columnOf(frame, name) as { values: Float64Array }).values[0]
  expect([valueIn('value'), valueIn('z')]).toEqual([2.5, 2])
  const [, value] = scanTableColumns(facts, 'moment', [])
  expect(value).toMatchObject({ key: 'value', kind: 'bps', unit: 'bps per funding period' })
  const price = { label: 'Close', kind: 'price', unit: 'price' } as const
  expect(columnOf(scanFrame(scanned, price)!, 'value')).toMatchObject({ values: Float64Array.of(0.00025) })
})

it('has no heat in levels such as prices, in which the largest alone would stand out', () => {
  const heatOf = (kind: 'price' | 'ratio') =>
    scanTableColumns({ label: 'Column', kind, unit: 'none' }, 'moment', []).find(({ key }) => key === 'value')?.heat
  expect([heatOf('price'), heatOf('ratio')]).toEqual([undefined, { scale: 'sequential' }])
})
