import { expect, it } from 'vitest'
import { numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { workbenchReport, type ReportedSeries } from '#shared/report/workbenchReport.ts'
import { addSeries, changeSeries } from '#shared/workspace/edit.ts'
import { allSeries, emptyDocument } from '#shared/workspace/workspace.ts'

const source = {
  ...{ kind: 'column' as const, dataset: 'basis', column: 'basis', exchange: 'venuec-perps', interval: '1h' },
  ...{ symbol: 'perpetual-BTC-USD:USDC', timestamp: 'exchange' as const, resampleTo: '', origin: 'service' as const },
}

it('warns of a formula over a hidden column as of the column itself: modelled times, contract size', () => {
  const column = addSeries(emptyDocument(), null, { source }).document
  const { document: both } = addSeries(column, null, { source: { kind: 'formula', formula: 'a * 2' } })
  const document = changeSeries(both, 's1', { hidden: true })
  const frame = { rows: 0, columns: [timeColumn('time', []), numberColumn('value', [])] }
  const evaluated = {
    unit: 'price',
    unitWarnings: [],
    notes: [],
    problem: null,
    inputs: {},
    points: { kind: 'rows', frame },
  }
  const none = { first: null, last: null, min: null, max: null, mean: null, deviation: null, unit: 'price' }
  const statistics = { rows: 0, missing: 0, ...none, quantiles: Array<null>(7).fill(null) }
  const formula = { entry: allSeries(document)[1], evaluated, statistics } as unknown as ReportedSeries
  const { warnings } = workbenchReport({ name: '', document, startMs: 0, endMs: 1 } as never, [formula], () => 0.5)
  expect(warnings).toEqual([
    expect.stringMatching(/^a \* 2: exchange times .* are modelled on venuec-perps/),
    'contract size of perpetual-BTC-USD:USDC on venuec-perps: 0.5',
  ])
})
