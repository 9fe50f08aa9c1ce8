import { inject, provide, type InjectionKey } from 'vue'
import { useRouter } from 'vue-router'
import type { RowAction } from '../../../tables/rowActions.ts'
import { portfoliosText } from '../../../text/portfolios.ts'
import { tablesText } from '../../../text/tables.ts'

const chartKey: InjectionKey<(ticker: string) => void> = Symbol('chart of a ticker')

/** Lets the tables of a page chart what the page is about, for one ticker. */
export const provideTickerChart = (chart: (ticker: string) => void): void => provide(chartKey, chart)

/** Builds the commands of rows that name a ticker. */
export function useTickerActions(): (ticker: string) => RowAction[] {
  const router = useRouter()
  const chart = inject(chartKey, null)
  const { tickerMenu: text } = portfoliosText.cards
  return (ticker) => [
    ...(chart ? [{ id: 'chart', title: tablesText.menu.chart, run: () => chart(ticker) }] : []),
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
