import { searchForm } from '#shared/catalog/searchForm.ts'
import type { Frame } from '#shared/contract/frame.ts'
import type { Condition } from '../../tables/rows.ts'
import type { CoverageAddress } from './coverageAddress.ts'
import { textOf } from './symbolFrame.ts'

/** The conditions that an address puts on the rows of a frame. */
export function coverageConditions(frame: Frame, address: CoverageAddress): Condition[] {
  const exact: [key: string, value: string][] = [
    // Metric files are narrowed to a dataset when they are counted: their rows are symbols.
    ['dataset', address.kind === 'raw' ? address.dataset : ''],
    ['exchange', address.venue],
    ['symbol', address.symbol],
    ['quote', address.quote],
    ['settle', address.settle],
  ]
  const conditions: Condition[] = exact.flatMap(([key, value]) => (value === '' ? [] : { key, oneOf: [value] }))
  if (address.base === '') return conditions
  const wanted = searchForm(address.base)
  const bases = textOf(frame, 'base').dictionary.filter((base) => searchForm(base) === wanted)
  return [...conditions, { key: 'base', oneOf: bases }]
}
