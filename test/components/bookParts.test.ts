import { expect, it } from 'vitest'
import AttributionPart from '../../renderer/views/portfolios/book/AttributionPart.vue'
import CorrelationsPart from '../../renderer/views/portfolios/book/CorrelationsPart.vue'
import type { FakeWindowHost } from '../fakes/fakeWindowHost.ts'
import { button, mountWithHost } from './mountWithHost.ts'

/** A host where these portfolios were opened before, which notes what is computed. */
function opened(host: FakeWindowHost, asked: unknown[], ids = ['momentum_ls.20', 'carry_ls.20']): void {
  host.answer('portfolio.usedIds', () => ids.map((id) => ({ id, usedAt: 0 })))
  for (const name of ['book.correlations', 'book.attribution'] as const)
    host.answer(name, (input) => {
      asked.push(input)
      throw new Error('not computed here')
    })
}

it('correlates the portfolios that were opened last in one click, from an empty page', async () => {
  const asked: unknown[] = []
  const { wrapper } = await mountWithHost(CorrelationsPart, {}, (host) => opened(host, asked))
  await expect.poll(() => wrapper.text()).toContain('Correlate the 2 portfolios')
  await button(wrapper, 'Correlate the 2 portfolios you opened last').trigger('click')
  await expect
    .poll(() => asked)
    .toMatchObject([{ series: ['portfolio:momentum_ls.20', 'portfolio:carry_ls.20'], minDays: 60, order: 'linkage' }])
})

it('explains the portfolio that was opened last by the majors in one click, and offers nothing unknown', async () => {
  const asked: unknown[] = []
  const { wrapper } = await mountWithHost(AttributionPart, {}, (host) => opened(host, asked))
  await expect.poll(() => wrapper.text()).toContain('Explain momentum_ls.20 by BTC and ETH')
  await button(wrapper, 'Explain momentum_ls.20 by BTC and ETH').trigger('click')
  await expect.poll(() => asked).toMatchObject([{ series: 'portfolio:momentum_ls.20', on: ['price:BTC', 'price:ETH'] }])
  const { wrapper: empty } = await mountWithHost(AttributionPart, {}, (host) => opened(host, [], []))
  expect(empty.text()).not.toContain('by BTC and ETH')
})
