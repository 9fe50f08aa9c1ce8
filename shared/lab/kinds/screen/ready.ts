import { metricDataset } from '#shared/catalog/metricDatasets.ts'
import { type ReadyGround, type ReadyStudy } from '../readyGround.ts'

/** Datasets of who trades and who waits, whose every column is tried. */
const orderFlow = ['flow', 'run_structure', 'l1_imbalance', 'l2_imbalance'] as const

export const ready = ({ sourceOf, leader, leaderName, range }: ReadyGround): ReadyStudy[] => [
  {
    id: 'order-flow-screen',
    name: 'Order-flow screen',
    description: `Which column of order flow and order book tells the next returns of ${leaderName}, beside the best of noise?`,
    document: {
      ...range('5m'),
      kind: 'screen',
      name: 'Order-flow screen',
      source: sourceOf([leader]),
      columns: orderFlow.flatMap((id) => metricDataset(id).columns.map(({ name }) => `${id}.${name}`)),
      horizons: [1, 12],
    },
  },
]
