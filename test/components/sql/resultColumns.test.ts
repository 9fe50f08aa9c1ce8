import { expect, it } from 'vitest'
import type { SqlColumnFacts } from '#shared/contract/areas/sql.ts'
import { numberText } from '#shared/units/numberKinds.ts'
import { resultColumns } from '../../../renderer/views/sql/resultColumns.ts'

const column = (unit: string | null, type = 'DOUBLE'): SqlColumnFacts => ({
  name: 'x',
  type,
  kind: 'number',
  unit,
  warning: null,
})
const written = (facts: SqlColumnFacts, value: number) => resultColumns([facts])[0].format?.(value)

it('numbers of a result are written as every table writes numbers of their unit', () => {
  expect(written(column('price'), 20_608.3)).toBe(numberText('price', 20_608.3))
  expect(written(column('bps'), 0.123456789)).toBe(numberText('bps', 0.123456789))
  expect(written(column('base asset or contracts'), 7248.0419)).toBe(numberText('volume', 7248.0419))
  // The units are of different kinds, so the numbers are formatted by their magnitude.
  expect(written(column('price or quote'), 0.00001234)).toBe(numberText('statistic', 0.00001234))
  expect(written(column(null), 20_608.3)).toBe(numberText('statistic', 20_608.3))
  expect(written(column('quote', 'BIGINT'), 123_456_789)).toBe('123456789')
})
