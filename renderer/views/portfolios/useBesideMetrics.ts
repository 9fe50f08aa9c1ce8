import { ref } from 'vue'
import { useRouter } from 'vue-router'
import { type PortfolioDatasetId, portfolioSymbol } from '#shared/catalog/portfolioSeries.ts'
import type { PortfolioSubject } from '#shared/contract/areas/lab.ts'
import { useCommands } from '../../stores/commands.ts'
import { usePortfolioSeries } from '../../stores/portfolioSeries.ts'

/** Columns of a portfolio or factor that the workbench charts. */
interface BesideMetrics {
  name: string
  subject: PortfolioSubject
  dataset: PortfolioDatasetId
  columns: readonly string[]
}

/** Charts returns, weights or factors in the workbench, beside metrics. */
export function useBesideMetrics() {
  const router = useRouter()
  const commands = useCommands()
  const portfolios = usePortfolioSeries()
  const isCharting = ref(false)

  const chart = ({ name, subject, dataset, columns }: BesideMetrics) =>
    commands.attempt(async () => {
      isCharting.value = true
      try {
        const { id, smoothing } = subject
        const exchange = subject.kind === 'weights' ? subject.exchange : undefined
        const symbol = portfolioSymbol({ id, ...(smoothing && { smoothing }), ...(exchange && { exchange }) })
        await portfolios.chart({ dataset, symbol, columns: [...columns] }, name)
        await router.push('/workbench')
      } finally {
        isCharting.value = false
      }
    })

  return { isCharting, chart }
}
