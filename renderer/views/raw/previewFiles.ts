import { seriesPathOf } from '#shared/catalog/rawPaths.ts'
import { expectedPeriods } from '#shared/time/periods.ts'
import type { RawCatalogView } from '#shared/contract/areas/discovery.ts'

interface PreviewSeries {
  /** Folder of one dataset, venue and symbol, in the layout that an import recognises. */
  folder: string
  files: string[]
}

/**
 * Lists the files of a catalog's preview, which is a month of one symbol per venue in every dataset. Days after the
 * last one in the summary are left out, because their files do not exist yet.
 */
export function previewFiles(
  catalog: Pick<RawCatalogView, 'previewPeriod' | 'previewSymbols' | 'datasets' | 'summary'>,
  dailyFilesFrom: string,
): PreviewSeries[] {
  const { previewPeriod: month, previewSymbols, datasets, summary } = catalog
  if (month === null || !/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) return []
  const [year, monthNumber] = month.split('-').map(Number)
  const endOfMonth = new Date(Date.UTC(year, monthNumber, 0)).toISOString().slice(0, 10)
  return datasets.flatMap(({ id, exchanges }) =>
    exchanges.flatMap((exchange) => {
      const symbol = previewSymbols[exchange]
      if (symbol === undefined) return []
      const summaryLine = summary.find((each) => each.dataset === id && each.exchange === exchange)
      const lastDay = summaryLine && summaryLine.last < endOfMonth ? summaryLine.last : endOfMonth
      const periods = expectedPeriods(`${month}-01`, lastDay, dailyFilesFrom)
      const folder = seriesPathOf(id, exchange, symbol)
      return periods.length === 0 ? [] : [{ folder, files: periods.map((period) => `${folder}/${period}.parquet`) }]
    }),
  )
}
