import { describe, expect, it } from 'vitest'
import { numberColumn, textColumn, timeColumn } from '#shared/contract/frame.ts'
import { identifiers } from '../../electron/sandbox/portfolio/identifiers.ts'
import { exportName } from '../../renderer/export/saveFile.ts'
import { frameCsv } from '../../renderer/export/csv.ts'
import { emptyModel } from '../../renderer/charts/model.ts'
import { modelFrame } from '../../renderer/cards/cardExports.ts'
import {
  chosenPortfolio,
  fieldProblem,
  portfolioLabel,
  carriedQuery,
  readAddressFields,
  queryWithFields,
} from '../../renderer/views/portfolios/addressFields.ts'
import { sandboxIds } from '../../renderer/widgets/useKnownIds.ts'

describe('the address of a tab', () => {
  const defaults = { portfolio: '', scale: 'linear' }

  it('comes back as it was written, holds only what differs, and leaves other fields alone', () => {
    const query = queryWithFields({ ticker: 'BTC' }, { portfolio: 'a.20', scale: 'linear' }, defaults)
    expect(query).toEqual({ ticker: 'BTC', portfolio: 'a.20' })
    expect(readAddressFields(query, defaults)).toEqual({ portfolio: 'a.20', scale: 'linear' })
    expect(readAddressFields({ portfolio: ['a', 'b'] }, defaults)).toEqual(defaults)
  })
})

it('a tab is found as it was left, but for what is chosen now for all of them', () => {
  const here = { portfolio: 'b.20', from: '2026-01-01', window: '30' }
  const there = { portfolio: 'a.20', to: '2025-01-01', factor: 'momentum' }
  expect(carriedQuery(here, there)).toEqual({ portfolio: 'b.20', from: '2026-01-01', factor: 'momentum' })
})

describe('the fields of a portfolio', () => {
  it('are asked for only where the service has such values, and else say what is wrong', () => {
    expect(chosenPortfolio({ portfolio: 'a', smoothing: '', exchange: '' })).toEqual({ portfolio: 'a' })
    expect(chosenPortfolio({ portfolio: '', smoothing: '', exchange: '' })).toBeNull()
    const seven = { portfolio: 'a', smoothing: '7', exchange: '' }
    expect(chosenPortfolio(seven)).toBeNull()
    expect(fieldProblem(seven)).toMatch(/no 7-day smoothing.*0, 5, 10/)
    expect(chosenPortfolio({ portfolio: 'a', smoothing: '', exchange: 'mars' })).toEqual({
      portfolio: 'a',
      exchange: 'mars',
    })
    expect(portfolioLabel({ portfolio: 'a', smoothing: '0', exchange: 'venuea' })).toBe('a, not smoothed, venuea')
  })

  it('offer what the sandbox knows', () => {
    expect([...sandboxIds.portfolio].sort()).toEqual([...identifiers.portfolios].sort())
    expect([...sandboxIds.factor].sort()).toEqual([...identifiers.factors].sort())
    expect([...sandboxIds.overlay].sort()).toEqual([...identifiers.overlays].sort())
    expect([...sandboxIds.regime].sort()).toEqual([...identifiers.regimes].sort())
  })
})

describe('an exported table', () => {
  it('has days as days, missing as nothing, and no text that runs as a formula', async () => {
    const frame = {
      rows: 2,
      columns: [
        timeColumn('time', [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)]),
        textColumn('ticker', ['=A1', 'BTC']),
        numberColumn('weight', [0.1 + 0.2, null]),
      ],
    }
    const lines = (await frameCsv(frame, 'guarded')).split('\n')
    expect(lines).toEqual(['time,ticker,weight', `2026-01-01,"'=A1",0.30000000000000004`, '2026-01-02,BTC,', ''])
    const exact = (await frameCsv(frame, 'exact')).split('\n')
    expect(exact[1]).toBe('2026-01-01,=A1,0.30000000000000004')
  })

  it('of a chart contains what is in view, with a row for each time that any series has', () => {
    const series = (id: string, days: number[], values: number[]) => ({
      id,
      label: id,
      unit: '',
      kind: 'ratio' as const,
      times: Float64Array.from(days),
      values: Float64Array.from(values),
      valid: null,
      style: 'line' as const,
      axis: 'auto' as const,
      transform: 'none' as const,
      colour: 0,
    })
    const pane = { id: 'p', title: '', scale: 'linear' as const }
    const model = {
      ...emptyModel('two'),
      panes: [{ ...pane, series: [series('a', [1, 2, 3], [10, NaN, 30]), series('b', [2, 4], [5, 6])] }],
    }
    const { columns, rows } = modelFrame(model, { startMs: 2, endMs: 4 })
    expect(rows).toBe(2)
    expect([...columns[0].values]).toEqual([2, 3])
    expect([...(columns[1].valid ?? [])]).toEqual([0, 1])
    expect(columns[2].values[0]).toBe(5)
  })

  it('tells series of one name in several panes apart', () => {
    const times = Float64Array.of(1, 2)
    const look = {
      unit: '',
      kind: 'ratio',
      stepMs: 1,
      style: 'line',
      axis: 'left',
      transform: 'none',
      colour: 0,
    } as const
    const one = (id: string, label: string) => ({ id, label, times, values: times, valid: null, ...look })
    const panes = [
      { id: 'a', title: 'Equity', scale: 'linear' as const, series: [one('1', 'p.20'), one('2', 'BTC')] },
      { id: 'b', title: 'Underwater', scale: 'linear' as const, series: [one('3', 'p.20')] },
    ]
    const { columns } = modelFrame({ ...emptyModel('Returns'), panes }, { startMs: 0, endMs: 9 })
    expect(columns.map(({ name }) => name)).toEqual(['time', 'Equity: p.20', 'BTC', 'Underwater: p.20'])
  })

  it('has a file name that is valid on any system', () => {
    expect(exportName('weights', 'momentum_ls.20', 'as of: 12:00/UTC')).toBe('weights-momentum_ls.20-as-of-12-00-UTC')
    expect(exportName('../..')).toBe('perpscope')
  })
})
