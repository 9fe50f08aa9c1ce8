import { expect, it } from 'vitest'
import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import type { Opened } from '#shared/contract/documents/documentKinds.ts'
import { dailySeriesOf, rowOfDay, dailyMatrixOf, runSteps } from '#shared/portfolio/dailySeries.ts'
import { explainReturns } from '#shared/portfolio/explainReturns.ts'
import { dayNumberOf } from '#shared/time/periods.ts'
import { downloadWorld } from '../../fakes/downloadWorld.ts'

const PORTFOLIO = 'momentum_ls.20'
const COST_BPS = 5

/**
 * Opens the weights of a sandbox portfolio as a study of the Lab; also returns the weights, and the returns that the
 * Explain page computes from them.
 */
async function openServedWeights() {
  const { client, connectionId, sandbox } = await downloadWorld({ standsBy: true })
  await client.call('connections.edit', { id: connectionId, portfolioUrl: sandbox.url })
  await client.call('keys.set', { connectionId, service: 'portfolio', key: sandbox.keys['3'] })
  const history = async (request: HistoryRequest) =>
    (await client.call('portfolio.history', { connectionId, request })).rows
  const weights = dailyMatrixOf(await history({ endpoint: 'history', portfolio: PORTFOLIO })).matrix
  const prices = dailyMatrixOf(await history({ endpoint: 'prices', ticker: weights.tickers.toSorted() })).matrix
  const { series: served } = dailySeriesOf(await history({ endpoint: 'returns', portfolio: PORTFOLIO }))
  const study = await client.call('lab.fromPortfolio', {
    connectionId,
    name: 'Served weights',
    subject: { kind: 'weights', id: PORTFOLIO },
    universe: null,
    kind: 'portfolio',
  })
  return {
    explain: (bps: number) => runSteps(explainReturns(weights, prices, served, bps)),
    weights,
    async test({ id, document }: Opened<'study'>, costs: Record<string, number>) {
      const written = { ...document, study: { ...document.study, costs } }
      const { result } = await client.call('lab.run', { id, document: written })
      if (result.kind !== 'portfolio') throw new Error('not a test')
      return result
    },
    study,
  }
}

it('reproduces Explain on the served weights of the running sandbox, and with costs differs by the turnover of drift', async () => {
  const { explain, weights, test, study } = await openServedWeights()
  expect(study.document.study).toMatchObject({ weights: { rule: 'direct' }, delayBars: 0, funding: 'none' })

  const gross = await test(study, { feeBps: 0 })
  const explained = explain(0)
  let comparedCount = 0
  for (const [at, day] of gross.days.entries()) {
    const row = rowOfDay(explained.days, dayNumberOf(day))
    if (row < 0 || explained.explained.valid?.[row] !== 1 || explained.unpriced.values[row] > 0) continue
    expect(Math.abs(gross.gross[at] - explained.explained.values[row]), day).toBeLessThan(1e-12)
    comparedCount++
  }
  expect(comparedCount).toBeGreaterThan(300)

  // The Explain page charges the difference between one day's target weights and the next day's. A test charges the
  // difference between the drifted weights and the next day's targets.
  const net = await test(study, { feeBps: COST_BPS })
  const charged = explain(COST_BPS)
  let drifted = 0
  let driftFee = 0
  for (let at = 1; at < net.days.length; at++) {
    const row = rowOfDay(charged.days, dayNumberOf(net.days[at]))
    if (row < 1 || charged.cost.valid?.[row] !== 1 || charged.unpriced.values[row] > 0) continue
    const day = weights.tickers.map((_, ticker) => {
      const cell = row * weights.tickers.length + ticker
      const before = weights.values[cell - weights.tickers.length]
      return { before, now: weights.values[cell], gain: charged.contributions.values[cell] }
    })
    // The weights were a share of the equity before the previous day's fee was paid from it.
    const share = (net.equity[at - 1] - net.amounts.fee[at - 1]) / net.equity[at - 1]
    const equity = 1 + share * day.reduce((sum, { gain }) => sum + gain, 0)
    const driftedWeights = day.map(({ before, gain }) => (share * (before + gain)) / equity)
    const fromDrift = day.reduce((sum, { now }, ticker) => sum + Math.abs(now - driftedWeights[ticker]), 0)
    const fromTarget = day.reduce((sum, { before, now }) => sum + Math.abs(now - before), 0)
    const equityBefore = net.equity[at] - net.amounts.fee[at]
    const paid = -net.amounts.fee[at] / equityBefore
    expect(charged.cost.values[row], net.days[at]).toBeCloseTo((COST_BPS / 1e4) * fromTarget, 12)
    expect(paid - charged.cost.values[row], net.days[at]).toBeCloseTo((COST_BPS / 1e4) * (fromDrift - fromTarget), 12)
    driftFee -= (COST_BPS / 1e4) * (fromDrift - fromTarget) * equityBefore
    drifted += Math.abs(fromDrift - fromTarget) > 1e-6 ? 1 : 0
  }
  expect(drifted).toBeGreaterThan(300)
  // The drift cost in the result is this difference, except on days for which Explain has no prices.
  expect(net.drift.cost).toBeLessThan(0)
  expect(Math.abs(net.drift.cost! / driftFee - 1)).toBeLessThan(0.05)
}, 20_000)
