import { runBlend } from '../../shared/lab/kinds/blend/run.ts'
import type { BlendStudy } from '../../shared/lab/kinds/blend/fields.ts'
import { parseDocument } from '../../shared/lab/parseStudy.ts'
import { planTrades } from '../../shared/portfolio/book/plan.ts'
import { correlationSteps } from '../../shared/portfolio/book/seriesCorrelations.ts'
import { runSteps } from '../../shared/portfolio/dailySeries.ts'
import { dayNumberOf } from '../../shared/time/periods.ts'
import { randomOf } from '../fakes/panelWorld.ts'
import { type BenchLine, processorMsOf } from './benchLine.ts'

const FIRST = dayNumberOf('2020-01-01')
const DAYS = 6 * 365
const days = Int32Array.from({ length: DAYS }, (_, at) => FIRST + at)
const random = randomOf(5)
const numbers = (count: number) => Float64Array.from({ length: count }, () => random() - 0.5)

/** Prepares a blend of 14 components over six years. */
export function blendTask(tickerCount: number) {
  const tickers = Array.from({ length: tickerCount }, (_, at) => `T${at}`)
  const components = Array.from({ length: 14 }, (_, at) => ({ from: { factor: `factor-${at}` } }))
  const written = { version: 1, kind: 'blend', start: '2020-01-01', end: '2025-12-29', components }
  const study = parseDocument(written, { fromCache: true }) as BlendStudy
  const data = {
    components: components.map(() => ({ days, tickers, values: numbers(DAYS * tickerCount), isHistory: false })),
    universe: null,
    overlay: null,
    prices: { days, tickers, values: numbers(DAYS * tickerCount).map((value) => 100 + value) },
  }
  return () => runBlend(study, data)
}

function correlationTask() {
  const all = Array.from({ length: 200 }, (_, at) => ({
    name: `s${at}`,
    series: { days, values: numbers(DAYS), valid: null },
  }))
  const options = { start: null, end: null, minDays: 60, isCommon: false, order: 'linkage' as const }
  return () => runSteps(correlationSteps(all, options))
}

function planTask() {
  const symbols = Array.from({ length: 500 }, (_, at) => `T${at}`)
  const priceOf = (ticker: string) => 10 + Number(ticker.slice(1))
  const input = {
    targets: symbols.map((ticker, at) => ({ ticker, weight: (random() - 0.5) / 100, line: at + 2 })),
    positions: symbols.map((symbol, at) => ({ symbol, units: random() * 10, line: at + 2 })),
    aliases: [],
    lots: symbols.map((symbol, at) => ({ symbol, lot: 0.001, minUnits: 0, line: at + 2 })),
    ...{ priceOf, costBpsOf: () => 5, capital: 1e6, band: 0.001, mode: 'edge' as const, minOrder: 10, cap: 0.1 },
  }
  return () => planTrades(input)
}

const line = (name: string, budget: number, task: () => () => unknown): BenchLine => ({
  ...{ name: `book: ${name} (processor time)`, unit: 'ms', rule: 'value', budget, peerName: null },
  prepare() {
    const work = task()
    work()
    return Promise.resolve({ ours: () => processorMsOf(work), rounds: 5 })
  },
})

export const benchLines: BenchLine[] = [
  line('blend of 14 components × 6 years × 150 tickers', 1000, () => blendTask(150)),
  line('correlations of 200 series × 6 years', 500, correlationTask),
  line('plan of 500 names', 50, planTask),
]
