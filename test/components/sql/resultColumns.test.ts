import { expect, it } from 'vitest'
import type { SqlColumnFacts } from '#shared/contract/areas/sql.ts'
import { cellOf, type Frame, joinFrames, numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { formatOf, unitAfterTitle } from '#shared/sheet/columns.ts'
import { numberText } from '#shared/units/numberKinds.ts'
import { parseFilter } from '../../../renderer/tables/filterLanguage.ts'
import { inShownUnits, namedFrame } from '#shared/report/resultFrame.ts'
import { copiedText, resultColumns } from '../../../renderer/views/sql/resultColumns.ts'

const column = (unit: string | null, type = 'DOUBLE'): SqlColumnFacts => ({
  name: 'x',
  type,
  kind: 'number',
  unit,
  quantity: null,
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

it('reads decimals and long integers as numbers for charts, whatever part of the result they come from', () => {
  const part = (cells: (string | null)[], texts: (string | null)[]): Frame => ({
    rows: cells.length,
    columns: [
      textColumn('c0', cells),
      textColumn('c1', texts),
      timeColumn(
        'c2',
        cells.map(() => 5),
      ),
    ],
  })
  const joined = joinFrames([part(['1.50', null], ['a', 'b']), part(['-2.25'], [null])])
  const facts = ['DECIMAL(4,2)', 'VARCHAR', 'TIMESTAMP'].map((type) => ({ ...column(null, type), name: 'x' }))
  const { columns, rows } = namedFrame(joined, { columns: facts })
  const cells = columns.map((each) => Array.from({ length: rows }, (_, row) => cellOf(each, row)))
  expect(columns.map(({ name, kind }) => [name, kind])).toEqual([
    ['x', 'number'],
    ['x_1', 'text'],
    ['x_2', 'time'],
  ])
  expect(cells).toEqual([
    [1.5, null, -2.25],
    ['a', 'b', null],
    [5, 5, 5],
  ])
})

it('rates of funding are read in basis points, and copied and filtered as the fractions that the query returns', () => {
  const facts = { ...column('none'), name: 'funding_rate', quantity: 'rate' as const }
  const frame: Frame = { rows: 2, columns: [numberColumn('c0', [0.000014, -0.0002])] }
  const [shown] = resultColumns([facts])
  const format = formatOf(shown, [0.000014, -0.0002], 'utc')
  expect([0.000014, -0.0002].map(format)).toEqual(['0.140', '−2.000'])
  expect(unitAfterTitle(shown)).toBe('bps per funding period')
  expect(copiedText('tsv', frame, [facts])).toBe('funding_rate\n0.000014\n-0.0002\n')
  expect(parseFilter('funding_rate > 1 bps', { columns: [{ ...shown, key: 'c0' }], zone: 'utc' })).toEqual(
    parseFilter('funding_rate > 0.0001', { columns: [{ ...shown, key: 'c0' }], zone: 'utc' }),
  )
  const [charted] = namedFrame(inShownUnits(frame, { columns: [facts] }), { columns: [facts] }).columns
  expect(cellOf(charted, 1)).toBe(-2)
})
