import { useRouter } from 'vue-router'
import { fromHere } from '../../widgets/addressQuery.ts'
import { useCommands } from '../../stores/commands.ts'
import { type ChartedHistory, usePortfolioSeries } from '../../stores/portfolioSeries.ts'
import type { RowId } from '../../tables/rows.ts'
import type { RowAction } from '../../tables/rowActions.ts'
import { portfoliosText } from '../../text/portfolios.ts'
import { tablesText } from '../../text/tables.ts'

/** Returns a function that adds a history of the portfolio service to the workbench and opens the workbench. */
export function useOpenInWorkbench(): (history: ChartedHistory) => Promise<void> {
  const router = useRouter()
  const commands = useCommands()
  const portfolios = usePortfolioSeries()
  return (history) =>
    commands.attempt(async () => {
      const go = fromHere(router)
      await portfolios.chart(history)
      await go('/workbench')
    })
}

/**
 * Returns a function that builds the menu commands of a row with a ticker.
 * @param historyOf returns the history in which the column of the ticker can be charted; null if there is none
 */
export function useTickerActions(
  historyOf: () => Omit<ChartedHistory, 'columns'> | null = () => null,
): (row: number, id: RowId | undefined, cell: (key: string) => unknown) => RowAction[] {
  const router = useRouter()
  const chart = useOpenInWorkbench()
  const { tickerMenu: text } = portfoliosText.cards
  return (_row, _id, cell) => {
    const ticker = cell('ticker')
    if (typeof ticker !== 'string') return []
    const history = historyOf()
    return [
      ...(history
        ? [{ id: 'chart', title: tablesText.menu.chart, run: () => void chart({ ...history, columns: [ticker] }) }]
        : []),
      {
        id: 'prices',
        title: text.prices(ticker),
        run: () => void router.push({ path: '/portfolios/prices', query: { tickers: ticker } }),
      },
      {
        id: 'coverage',
        title: text.coverage(ticker),
        run: () => void router.push({ path: '/coverage', query: { base: ticker } }),
      },
    ]
  }
}
