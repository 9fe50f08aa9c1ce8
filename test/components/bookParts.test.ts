import { expect, it } from 'vitest'
import { h, ref } from 'vue'
import { useRouter } from 'vue-router'
import type { StudyAnswer } from '#shared/contract/areas/lab.ts'
import { runBlend } from '#shared/lab/kinds/blend/run.ts'
import type { BlendStudy } from '#shared/lab/kinds/blend/fields.ts'
import { parseDocument } from '#shared/lab/parseStudy.ts'
import AttributionPart from '../../renderer/views/portfolios/book/AttributionPart.vue'
import BlendPart from '../../renderer/views/portfolios/book/BlendPart.vue'
import CorrelationsPart from '../../renderer/views/portfolios/book/CorrelationsPart.vue'
import PlanPart from '../../renderer/views/portfolios/book/PlanPart.vue'
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

it('leads with the equity of a blend, and folds what it is made of', async () => {
  const written = { version: 1, kind: 'blend', start: '2024-02-01', end: '2024-03-31', gross: 2 }
  const components = [{ from: { factor: 'momentum' } }, { from: { portfolio: 'carry_ls.20' }, weight: 2 }]
  const study = parseDocument({ ...written, components }, { fromCache: true }) as BlendStudy
  const days = Int32Array.from({ length: 40 }, (_, at) => 19_760 + at)
  const cells = (of: (day: number, ticker: number) => number) => ({
    days,
    tickers: ['BTC', 'ETH'],
    values: Float64Array.from({ length: 80 }, (_, at) => of(at >> 1, at & 1)),
  })
  const values = { ...cells((day, ticker) => Math.sin(day + ticker)), isHistory: false }
  const prices = cells((day, ticker) => 100 + ticker * day + Math.cos(day))
  const outcome = runBlend(study, { components: [values, values], universe: null, overlay: null, prices })
  const { wrapper } = await mountWithHost(BlendPart, {}, (host) => {
    host.answer('documents.list', () => [{ id: 'b', name: 'Core', kind: 'blend' }] as never)
    host.answer(
      'documents.read',
      () => ({ name: 'Core', document: { version: 1, study: { ...written, components } } }) as never,
    )
    host.answer(
      'lab.answer',
      () => ({ result: { ...outcome, kind: 'blend', study, warnings: [] }, runId: 'r' }) as unknown as StudyAnswer,
    )
  })
  expect(wrapper.find('details').attributes('open')).toBeDefined()
  await expect.poll(() => wrapper.text()).toContain('Open')
  await wrapper.findComponent({ name: 'SelectBox' }).vm.$emit('update:modelValue', 'b')
  await expect.poll(() => wrapper.text()).toContain('the blend of 2 components')
  expect(wrapper.find('details').attributes('open')).toBeUndefined()
  expect(wrapper.find('summary').text()).toBe('2 components: factor:momentum, portfolio:carry_ls.20')
  expect(wrapper.text()).toContain('Options 1 changed')
  const page = wrapper.text()
  expect(page.indexOf('Equity, 1 at the start')).toBeLessThan(page.indexOf('Max'))
})

it('folds the further fields of a plan unless they hold something, and says which do', async () => {
  const isOpen = (wrapper: Awaited<ReturnType<typeof mountWithHost>>['wrapper']) =>
    wrapper.find('details').attributes('open') !== undefined
  const { wrapper } = await mountWithHost(PlanPart, {})
  expect(isOpen(wrapper)).toBe(false)
  expect(wrapper.find('summary').text()).toBe('Positions, lots, prices and further settings')
  await wrapper.findComponent({ name: 'SelectBox' }).vm.$emit('update:modelValue', 'csv')
  await expect.poll(() => isOpen(wrapper)).toBe(true)
  const { wrapper: capped } = await mountWithHost({
    setup() {
      const isThere = ref(false)
      void useRouter()
        .push('/portfolios/book?cap=0.1')
        .then(() => (isThere.value = true))
      return () => (isThere.value ? h(PlanPart) : null)
    },
  })
  await expect.poll(() => capped.find('details').exists()).toBe(true)
  expect(isOpen(capped)).toBe(true)
  expect(capped.find('summary').text()).toBe('Positions, lots, prices and further settings: cap given')
})
