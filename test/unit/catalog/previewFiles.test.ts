import { expect, it } from 'vitest'
import { previewFiles } from '../../../renderer/views/raw/previewFiles.ts'

const dataset = (id: string, exchanges: string[]) => ({ id, name: id, description: '', exchanges, columns: [] })

it('the preview of a catalog is offered as the files to ask for, monthly before the change and daily after', () => {
  const catalog = {
    previewPeriod: '2026-08',
    previewSymbols: { 'venuea-futures': 'perpetual-BTC-USDT:USDT' },
    datasets: [dataset('trades', ['venuea-futures', 'venueb-perps']), dataset('quotes', ['venuea-futures'])],
    summary: [],
  }
  const daily = previewFiles(catalog, '2026-08-01')
  const folder = 'dataset=trades/exchange=venuea-futures/symbol=perpetual-BTC-USDT%3AUSDT'
  expect(daily.map((each) => each.folder)).toEqual([folder, folder.replace('trades', 'quotes')])
  expect(daily[0].files).toHaveLength(31)
  expect(daily[0].files.at(-1)).toBe(`${folder}/2026-08-31.parquet`)
  expect(previewFiles(catalog, '2026-09-01')[0].files).toEqual([`${folder}/2026-08.parquet`])
  expect(previewFiles({ ...catalog, previewPeriod: 'August' }, '2026-08-01')).toEqual([])
  expect(previewFiles({ ...catalog, previewPeriod: null }, '2026-08-01')).toEqual([])
})

it('the preview asks for no day after the last one that the service has', () => {
  const summary = (last: string) => ({
    dataset: 'trades',
    exchange: 'venuea-futures',
    symbols: 1,
    first: '2020-01-01',
    last,
  })
  const filesUntil = (last: string, period = '2026-08') =>
    previewFiles(
      {
        previewPeriod: period,
        previewSymbols: { 'venuea-futures': 'perpetual-BTC-USDT:USDT' },
        datasets: [dataset('trades', ['venuea-futures'])],
        summary: [summary(last)],
      },
      '2026-08-01',
    ).flatMap(({ files }) => files)
  expect(filesUntil('2026-08-21')).toHaveLength(21)
  expect(filesUntil('2026-09-30')).toHaveLength(31)
  expect(filesUntil('2026-07-31')).toEqual([])
  expect(filesUntil('2026-07-12', '2026-07')).toHaveLength(1)
})
