import { expect, test } from 'vitest'
import { datedInstruments, instrumentAt } from '#shared/contract/instrumentHistory.ts'
import { readInstruments } from '#shared/contract/instrumentsFile.ts'

const rowsOf = (...lines: string[]) => {
  const head = 'exchange,symbol,valid_from,contract_size,funding_every,funding_offset,native'
  const read = readInstruments([head, ...lines].join('\n'))
  if ('problems' in read) throw new Error(read.problems.join())
  return read.instruments
}

test('a row holds from its date to the next one, and an empty cell means as before', () => {
  const dated = datedInstruments(
    rowsOf('v,s,2026-07-01,0.1,,,', 'v,s,,0.01,8h,4h,SUSDT', 'v,s,2026-08-01T12:00Z,,1h,0h,').toReversed(),
  )
  const at = (time: string) => instrumentAt(dated, Date.parse(time))
  expect(at('2020-01-01')).toMatchObject({ contract_size: 0.01, funding_every: '8h', funding_offset: '4h' })
  expect(at('2026-06-30T23:59:59.999Z')).toMatchObject({ contract_size: 0.01 })
  // An empty period of a dated row takes the announcement back.
  expect(at('2026-07-01')).toMatchObject({ contract_size: 0.1, funding_every: null, native: 'SUSDT' })
  expect(at('2026-08-01T11:59:59Z')).toMatchObject({ funding_every: null })
  expect(at('2026-08-01T12:00Z')).toMatchObject({ contract_size: 0.1, funding_every: '1h', funding_offset: '0h' })
})

test('nothing holds before the first date', () => {
  const dated = datedInstruments(rowsOf('v,s,2026-07-01,0.1,8h,,'))
  expect(instrumentAt(dated, Date.parse('2026-07-01') - 1)).toBeNull()
  expect(instrumentAt([], 0)).toBeNull()
})
