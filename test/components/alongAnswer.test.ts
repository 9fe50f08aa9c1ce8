import { flushPromises, type VueWrapper } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { type Component, defineComponent, h, onMounted } from 'vue'
import type { StudyAnswer } from '#shared/contract/areas/lab.ts'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import QuestionField from '../../renderer/views/lab/QuestionField.vue'
import AnswerPanel from '../../renderer/views/lab/AnswerPanel.vue'
import SheetAnswer from '../../renderer/views/lab/SheetAnswer.vue'
import { fieldsWithin } from '#shared/lab/kinds/field.ts'
import { kindFacts } from '#shared/lab/kinds.ts'
import ChartCard from '../../renderer/cards/ChartCard.vue'
import SeriesCard from '../../renderer/cards/SeriesCard.vue'
import { greyColours } from '../unit/charts/chartColours.ts'
import type { ChartModel } from '../../renderer/charts/model.ts'
import { useLab } from '../../renderer/stores/lab.ts'
import type { FakeWindowHost } from '../fakes/fakeWindowHost.ts'
import { HOUR_MS, rowsOf, runOnRows, START_MS } from '../fakes/panelWorld.ts'
import { noiseRows } from '../fakes/screenWorld.ts'
import { button, mountWithHost } from './mountWithHost.ts'

// The page is drawn in turns, which take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })
const soon = { timeout: 15_000 }

/** Shows the answer of the open study, as the Lab does. */
const OpenAnswer = defineComponent(() => {
  const lab = useLab()
  onMounted(() => void lab.start().then(() => lab.open('s')))
  return () => (lab.answer ? h(SheetAnswer, { result: lab.answer.result as StudyResult }) : null)
})

/** Shows it with what stands around it. */
const OpenPanel = defineComponent(() => {
  const lab = useLab()
  onMounted(() => void lab.start().then(() => lab.open('s')))
  return () => h(AnswerPanel)
})

async function openAnswer(
  result: StudyResult,
  prepare: (host: FakeWindowHost) => void = () => {},
  shown: Component = OpenAnswer,
) {
  const document = { version: 1 as const, study: { ...result.study }, panel: { path: '/p.csv', against: null } }
  const mounted = await mountWithHost(shown, {}, (host) => {
    const facts = {
      rows: 9,
      symbols: ['A'],
      firstTime: 0,
      lastTime: 1,
      columns: ['a'],
      isSmall: false,
      fingerprint: '1',
    }
    host.answer('documents.list', () => [
      { id: 's', name: 'Idea', kind: result.kind, changedAt: 1, ranAt: 1, verdict: null },
    ])
    host.answer('documents.read', () => ({ id: 's', name: 'Idea', document, revision: 1 }) as never)
    host.answer('lab.source', () => facts)
    const run = { ranAt: 1, fingerprint: '1', isRecorded: true, runId: 'r', thinnedBy: 1 }
    host.answer('lab.answer', () => ({ result, document, ...run }) as unknown as StudyAnswer)
    prepare(host)
  })
  await expect.poll(() => mounted.wrapper.find('section').exists(), soon).toBe(true)
  await flushPromises()
  return { ...mounted, document }
}

const grid = (wrapper: VueWrapper, label: string) => wrapper.get(`[role=grid][aria-label="${label}"]`)
/** Opens the first row of a table with the keyboard. */
async function openFirst(wrapper: VueWrapper, label: string): Promise<void> {
  await expect
    .poll(() => wrapper.find(`[role=grid][aria-label="${label}"] [role=row][data-row]`).exists(), soon)
    .toBe(true)
  await grid(wrapper, label).trigger('keydown', { key: 'ArrowDown' })
  await grid(wrapper, label).trigger('keydown', { key: 'Enter' })
}
const callsOf = (host: FakeWindowHost, name: string) => host.calls.filter(([called]) => called === name)

const market = rowsOf({ seed: 4, symbols: 1, times: 700, planted: 0.2 })
const series = runOnRows(market, { kind: 'series', signal: 'a', horizons: [1, 12], buckets: 4, warmUp: 50 })

it('opens the times behind a bar of a series, and the symbol at one of them', async () => {
  const { wrapper, host } = await openAnswer(series, (fake) => {
    const found = { times: [START_MS, START_MS + HOUR_MS], signal: [0.5, 0.25], returns: [0.01, -0.02] }
    fake.answer('lab.bucket', () => ({ ...found, isSample: [true, false], left: 7 }))
    fake.answer('lab.symbol', () => ({ times: [], columns: [], hasRow: [], member: [], left: 0 }))
  })
  const symbol = series.kind === 'series' ? series.symbols[0].symbol : ''
  await wrapper.get('input[type=radio][value="12 bars"]').setValue(true)
  await expect.poll(() => wrapper.find('canvas').exists(), soon).toBe(true)
  const chart = wrapper.get('canvas')
  await chart.trigger('keydown', { key: 'End' })
  await chart.trigger('keydown', { key: 'Enter' })
  const asked = () => callsOf(host, 'lab.bucket').map(([, input]) => input)
  await expect.poll(asked, soon).toMatchObject([{ symbol, horizon: 12, bucket: 4 }])
  const pane = () => wrapper.get('[aria-label="Times behind a bucket"]')
  await expect.poll(() => pane().text(), soon).toContain('the first 2 of 9 times')
  await openFirst(wrapper, `Times of bucket 4, ${symbol}, 12 bars`)
  await expect.poll(() => callsOf(host, 'lab.symbol').length, soon).toBe(1)
  const [, { startMs, endMs }] = callsOf(host, 'lab.symbol')[0] as [string, { startMs: number; endMs: number }]
  expect((startMs + endMs) / 2).toBe(START_MS)
  await button(pane() as unknown as VueWrapper, 'Close').trigger('click')
  expect(wrapper.find('[aria-label="Times behind a bucket"]').exists()).toBe(false)
})

it('opens the times behind a row of the buckets, too', async () => {
  const { wrapper, host } = await openAnswer(series, (fake) =>
    fake.answer('lab.bucket', () => ({ times: [], signal: [], returns: [], isSample: [], left: 0 })),
  )
  await openFirst(wrapper, 'Return by bucket')
  const asked = () => callsOf(host, 'lab.bucket').map(([, input]) => input)
  await expect.poll(asked, soon).toMatchObject([{ horizon: 1, bucket: 1 }])
})

it('leads with the chart of the buckets, offers its horizons, and folds what repeats a chart', async () => {
  const { wrapper } = await openAnswer(series)
  const titles = wrapper.findAll('h2, h3').map((each) => each.text())
  expect(titles[0]).toBe('Mean return by bucket')
  // What was chosen stands beside the title of the card, and in that of what it exports.
  const { file, picture } = wrapper.getComponent(ChartCard).props()
  const size = { widthPx: 400, heightPx: 300, colours: greyColours }
  expect([file, picture(size)]).toEqual(Array(2).fill(expect.stringMatching(/Mean return by bucket, .*1 bar/)))
  const folded = () => wrapper.findAll('[role=grid]').map((each) => each.attributes('aria-label'))
  expect(folded()).not.toContain('Rank IC by hour: table')
  const fold = wrapper.get('details')
  ;(fold.element as HTMLDetailsElement).open = true
  await fold.trigger('toggle')
  await expect.poll(folded, soon).toContain('Rank IC by hour: table')
})

const screen = runOnRows(noiseRows({ seed: 3, bars: 500, columns: 4 }), {
  ...{ kind: 'screen', columns: ['c0', 'c1', 'c2'], templates: ['x'], horizons: [1], shifts: 9 },
})

it('opens a line of a screen as a series study with Enter, and as a test from the menu', async () => {
  if (screen.kind !== 'screen') return expect.unreachable()
  const { wrapper, host, router, document } = await openAnswer(screen, (fake) => {
    fake.answer('documents.create', () => ({ id: 'new' }) as never)
  })
  await openFirst(wrapper, 'Lines by z')
  await expect.poll(() => router.currentRoute.value.path, soon).toBe('/lab/new')
  const created = () => callsOf(host, 'documents.create').map(([, input]) => input)
  const [best] = screen.cells
  const study = { kind: 'series', signal: best.formula, horizons: [1] }
  expect(created()).toMatchObject([{ kind: 'study', document: { study, panel: document.panel } }])
  const asTest = () =>
    [...window.document.querySelectorAll<HTMLElement>('[role=menuitem]')].find((each) =>
      each.textContent?.includes('Open as a portfolio test'),
    )
  // The table may be drawn anew once the other document is open.
  const openMenu = async () => {
    const table = wrapper.find('[role=grid][aria-label="Lines by z"]')
    if (!asTest() && table.exists()) await table.trigger('keydown', { key: 'ContextMenu' })
    return asTest() !== undefined
  }
  await expect.poll(openMenu, soon).toBe(true)
  asTest()?.click()
  await expect.poll(() => created().length, soon).toBe(2)
  expect(created()[1]).toMatchObject({ document: { study: { kind: 'portfolio', weights: { rule: 'direct' } } } })
})

it('shows a spell on the price above the state when its row is opened', async () => {
  const spells = runOnRows(market, { kind: 'spells', when: 'a > 0.5', horizons: [1] })
  if (spells.kind !== 'spells') return expect.unreachable()
  const [{ from, to }] = spells.symbols[0].spells
  const { wrapper } = await openAnswer(spells, (fake) =>
    fake.answer('lab.price', () => ({ times: [START_MS, START_MS + HOUR_MS], price: [100, null], bars: 1 })),
  )
  const model = () => wrapper.getComponent(SeriesCard).props('model') as ChartModel
  await expect.poll(() => model().panes.map(({ id }) => id), soon).toEqual(['price', 'state'])
  // A shade is at least a pixel wide, however short the spell; a band would fade.
  expect([model().range, model().shades?.[0].spans.from.length]).toEqual([null, spells.symbols[0].spells.length])
  expect(model().shades?.[0].spans.to[0]).toBe(to + HOUR_MS)
  await openFirst(wrapper, 'Spells')
  await expect.poll(() => model().range, soon).not.toBeNull()
  const { startMs, endMs } = model().range ?? { startMs: NaN, endMs: NaN }
  expect(startMs).toBeLessThan(from)
  expect(endMs).toBeGreaterThan(to)
  await button(wrapper, 'Whole range').trigger('click')
  await expect.poll(() => model().range, soon).toBeNull()
})

it('takes the impact out of the costs with one click, and puts the default back', async () => {
  const field = fieldsWithin(kindFacts('costs').fields).find(({ path }) => path === 'impact')!
  const spread = fieldsWithin(kindFacts('costs').fields).find(({ path }) => path === 'spreadBps')!
  const document = { version: 1 as const, study: { version: 1, kind: 'costs', source: {} }, panel: null }
  const Form = defineComponent(() => {
    const lab = useLab()
    onMounted(() => void lab.start().then(() => lab.open('s')))
    const change = (impact: unknown) => lab.edit((before) => ({ ...before, study: { ...before.study, impact } }))
    return () =>
      lab.document && [
        h(QuestionField, { field, value: lab.document.study.impact, onChange: change }),
        h(QuestionField, { field: spread, value: undefined }),
      ]
  })
  const { wrapper } = await mountWithHost(Form, {}, (host) => {
    host.answer('documents.list', () => [
      { id: 's', name: 'Idea', kind: 'costs', changedAt: 1, ranAt: null, verdict: null },
    ])
    host.answer('documents.read', () => ({ id: 's', name: 'Idea', document, revision: 1 }) as never)
    host.answer('lab.answer', () => null)
    host.answer('lab.source', () => null)
  })
  await expect.poll(() => wrapper.findAll('input[type=checkbox]').length, soon).toBe(1)
  expect(wrapper.text()).toContain('No impact')
  const box = wrapper.get<HTMLInputElement>('input[type=checkbox]')
  await box.setValue(true)
  expect(useLab().document?.study.impact).toBeNull()
  await box.setValue(false)
  expect(useLab().document?.study.impact).toBeUndefined()
})

it('names symbols of one venue shortly in tables, choices and titles, and copies their full names', async () => {
  const names = ['quay-swaps/perpetual-AAA-USD:USD', 'quay-swaps/perpetual-BBB-USD:USD']
  const rows = { ...rowsOf({ seed: 4, symbols: 2, times: 700, planted: 0.2 }), names }
  const { wrapper } = await openAnswer(runOnRows(rows, { kind: 'series', signal: 'a', horizons: [1], warmUp: 50 }))
  const cells = () => wrapper.findAll('[role=grid][aria-label="Rank IC"] [role=gridcell]').map((cell) => cell.text())
  await expect.poll(cells, soon).toContain('AAA-USD:USD')
  expect(wrapper.text()).not.toContain('perpetual-')
  expect(wrapper.text()).toContain('BBB-USD:USD, 1 bar')
  const copied: string[] = []
  vi.stubGlobal('navigator', { clipboard: { writeText: (text: string) => Promise.resolve(void copied.push(text)) } })
  await wrapper.get('button[aria-label="Copy Rank IC"]').trigger('click')
  await expect.poll(() => copied.join(), soon).toContain(names[1])
  vi.unstubAllGlobals()
})

it('folds several warnings into one line, so that the answer stays in sight, and shows a single one', async () => {
  const warned = (count: number) => {
    const codes = ['duplicate-rows', 'off-grid', 'missing-rows'] as const
    return { ...series, warnings: codes.slice(0, count).map((code) => ({ code, message: `About ${code}.` })) }
  }
  const shownOf = async (count: number) => {
    const { wrapper } = await openAnswer(warned(count) as unknown as StudyResult, () => {}, OpenPanel)
    return wrapper.get<HTMLDetailsElement>('details.warnings')
  }
  const three = await shownOf(3)
  expect(three.element.open).toBe(false)
  expect(three.get('summary').text()).toMatch(/^3 warnings/)
  expect(three.findAll('li')).toHaveLength(3)
  const single = await shownOf(1)
  expect(single.element.open).toBe(true)
  expect(single.get('summary').isVisible()).toBe(false)
})

it('says once why there is no answer, with its numbers written as everywhere', async () => {
  const none = runOnRows(market, { kind: 'spells', when: 'a > 1e9' })
  const { wrapper } = await openAnswer(none, () => {}, OpenPanel)
  expect(wrapper.get('[role=status]').text()).toMatch(/none of 700 cells/)
  expect(wrapper.text().split('none of 700 cells')).toHaveLength(2)
})
