/** Thread that runs variants of a tested portfolio and reports how long they took. */
import { parentPort, workerData } from 'node:worker_threads'
import { prepareRows, recordOf, testPortfolio } from '../../shared/lab/portfolio/runPortfolio.ts'
import { costlyTest, marketPanel } from './portfolioMarket.ts'

const { variants } = workerData as { variants: number[] }
const panel = marketPanel()
parentPort?.on('message', () => {
  const start = performance.now()
  const prepared = prepareRows({ study: costlyTest(), panel })
  for (const bars of variants) {
    const input = { study: costlyTest(`sma(signal, ${bars})`), panel }
    recordOf(input, testPortfolio(input, prepared))
  }
  parentPort?.postMessage(performance.now() - start)
})
parentPort?.postMessage('ready')
