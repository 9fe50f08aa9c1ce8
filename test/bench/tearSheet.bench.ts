import { tearSheet } from '../../shared/portfolio/tearSheet.ts'
import { type BenchLine, millisecondsOf } from './benchLine.ts'

const days = 3650

/** Generates random daily returns that are equal in every run. */
function dailySeries(seed: number) {
  let state = seed
  const next = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  return {
    days: Int32Array.from({ length: days }, (_, at) => 17_000 + at),
    values: Float64Array.from({ length: days }, () => (next() + next() + next() - 1.5) * 0.04 + 0.0005),
    valid: null,
  }
}

export const benchLines: BenchLine[] = [
  {
    name: 'portfolio: tear sheet of 10 years with a benchmark',
    unit: 'ms',
    rule: 'value',
    budget: 20,
    peerName: null,
    prepare: async () => {
      const portfolio = dailySeries(1)
      const benchmark = dailySeries(2)
      const work = () => tearSheet(portfolio, { benchmark, riskFree: 0.03 })
      for (let warmUp = 0; warmUp < 5; warmUp++) work()
      return { rounds: 21, ours: () => millisecondsOf(work) }
    },
  },
]
