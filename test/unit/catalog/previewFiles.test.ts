import { expect, it } from 'vitest'
import { previewFiles } from '../../../renderer/views/raw/previewFiles.ts'

const dataset = (id: string, exchanges: string[]) => ({ id, name: id, description: '', exchanges, columns: [] })

it('the preview of a catalog is offered as the files to ask for, monthly before the change and daily after', () => {
  const catalog = {
    previewPeriod: '2026-08',
    previewSymbols: { 'venuea-futures': 'perpetual-BTC-USDT:USDT' },
    datasets: [dataset('trades', ['venuea-futures', 'venueb-perps']), dataset('quotes', ['venuea-futures'])],
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
