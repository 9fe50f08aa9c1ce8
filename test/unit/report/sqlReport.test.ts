import { expect, it } from 'vitest'
import { numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { sqlReport } from '#shared/report/sqlReport.ts'

const DAY = 86_400_000

it('writes times with their zone, dates as days, and numbers as everywhere', () => {
  const columns = [
    timeColumn('time', [0, 3_600_000]),
    timeColumn('day', [0, DAY]),
    numberColumn('bytes', [8_865_712, -1234.5]),
    numberColumn('equity', [1_608_011.18, -9_999_999.5]),
    numberColumn('change', [-0.02326391234, 1.5e-9]),
  ]
  const { parts } = sqlReport({
    sql: 'SELECT 1',
    parameters: {},
    columns: columns.map(({ name }) => ({ name, unit: null, quantity: null, warning: null })),
    frame: { rows: 2, columns },
    rows: 2,
    warnings: [],
  })
  const table = parts.at(-1)
  expect(table?.kind === 'table' && table.rows).toEqual([
    [
      { value: 0, text: '1970-01-01 00:00 UTC' },
      { value: 0, text: '1970-01-01' },
      { value: 8_865_712, text: '8\u202f865\u202f712' },
      { value: 1_608_011.18, text: '1\u202f608\u202f011' },
      { value: -0.02326391234, text: '−0.0232639' },
    ],
    [
      { value: 3_600_000, text: '1970-01-01 01:00 UTC' },
      { value: DAY, text: '1970-01-02' },
      { value: -1234.5, text: '−1\u202f234.5' },
      { value: -9_999_999.5, text: '−10\u202f000\u202f000' },
      { value: 1.5e-9, text: '1.5×10⁻⁹' },
    ],
  ])
})

it('says that a query returned no row, so that a head alone is not taken for a fault', () => {
  const columns = [numberColumn('bytes', [])]
  const shown = {
    columns: [{ name: 'bytes', unit: null, quantity: null, warning: null }],
    frame: { rows: 0, columns },
    rows: 0,
  }
  const { parts } = sqlReport({ sql: 'SELECT 1', parameters: {}, warnings: [], ...shown })
  expect(parts.at(-1)).toMatchObject({ rows: [], note: 'The query returned no rows.' })
})

it('rates of funding are shown in basis points and kept as fractions', () => {
  const { parts } = sqlReport({
    sql: 'FROM metrics.funding',
    parameters: {},
    columns: [
      { name: 'time', unit: null, quantity: null, warning: null },
      { name: 'funding_rate', unit: 'none', quantity: 'rate', warning: null },
    ],
    frame: { rows: 2, columns: [timeColumn('time', [0, 60_000]), numberColumn('funding_rate', [0.000014, -0.0002])] },
    rows: 2,
    warnings: [],
  })
  const table = parts.find((part) => part.kind === 'table')
  expect(table?.kind === 'table' && table.rows.map((row) => row[1])).toEqual([
    { value: 0.000014, text: '0.1400 bps' },
    { value: -0.0002, text: '−2.000 bps' },
  ])
  const chart = parts.find((part) => part.kind === 'chart')
  expect(chart?.kind === 'chart' && chart.series[0]).toMatchObject({ unit: 'bps per funding period' })
  expect(chart?.kind === 'chart' && chart.series[0].values[1]).toBe(-2)
})
