import { flushPromises } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import type { Component } from 'vue'
import type { PortfolioRequest } from '#shared/catalog/portfolioRequest.ts'
import { numberColumn, textColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { emptyDocument } from '#shared/workspace/workspace.ts'
import SelectBox from '../../renderer/components/SelectBox.vue'
import { stripSvg } from '../../renderer/export/stripSvg.ts'
import { matrixSvg } from '../../renderer/export/matrixSvg.ts'
import FactorsView from '../../renderer/views/portfolios/factors/FactorsView.vue'
import OverlaysView from '../../renderer/views/portfolios/overlays/OverlaysView.vue'
import PricesView from '../../renderer/views/portfolios/prices/PricesView.vue'
import { tickerList } from '../../renderer/views/portfolios/addressFields.ts'
import UniverseView from '../../renderer/views/portfolios/universe/UniverseView.vue'
import { button, mountWithHost } from './mountWithHost.ts'

const DAY = 86_400_000
const FIRST = Date.UTC(2026, 0, 1)
const freshness: PortfolioFreshness = {
  fetchedAt: Date.UTC(2026, 5, 1, 12),
  source: 'https://portfolio.example.com',
  asked: true,
  dataEndsAt: null,
  problems: [],
  trouble: null,
}

/** Time of an earlier live answer, in milliseconds. */
const EARLIER = FIRST - 11 * 3_600_000

type Cells = readonly (number | null)[]

/** Creates a frame of columns by name, with one row per day. */
const days = (columns: Record<string, Cells>): Frame => {
  const rows = Object.values(columns).at(0)?.length ?? 0
  const time = timeColumn(
    'time',
    Array.from({ length: rows }, (_, at) => FIRST + at * DAY),
  )
  return { rows, columns: [time, ...Object.entries(columns).map(([name, cells]) => numberColumn(name, cells))] }
}

const live = (columns: { ticker?: string[]; value: Cells }) => ({
  day: FIRST,
  createdAt: FIRST + 13 * 3_600_000,
  rows: {
    rows: columns.value.length,
    columns: [...(columns.ticker ? [textColumn('ticker', columns.ticker)] : []), numberColumn('value', columns.value)],
  },
  freshness,
})

interface Answers {
  history?: (request: PortfolioRequest) => Frame
  live?: (request: PortfolioRequest) => ReturnType<typeof live>
  tickers?: string[]
  revisions?: Frame
  /** Regime filter that was set on an earlier page. */
  regime?: { overlay: string; isOn: boolean }
}

async function open(view: Component, query: string, answers: Answers) {
  const mounted = await mountWithHost(view, {}, (host) => {
    if (answers.regime) localStorage.setItem('perpscope.portfolios.regime', JSON.stringify(answers.regime))
    host.answer('portfolio.usedIds', () => [])
    host.answer('portfolio.history', ({ request }) => ({ rows: answers.history?.(request) ?? days({}), freshness }))
    host.answer('portfolio.live', ({ request }) => answers.live?.(request) ?? live({ value: [] }))
    host.answer('portfolio.revisions', () => answers.revisions ?? { rows: 0, columns: [] })
    host.answer('portfolio.tickers', () => ({ tickers: answers.tickers ?? [], freshness }))
    host.answer('portfolio.snapshots', () => [{ day: FIRST - DAY, createdAt: EARLIER, fetchedAt: EARLIER }])
    host.answer('portfolio.snapshot', ({ request, createdAt }) => ({
      ...live(
        request.endpoint === 'factors-live' ? { ticker: ['A', 'B', 'C', 'D'], value: [9, 8, 7, 6] } : { value: [7] },
      ),
      createdAt,
    }))
  })
  await mounted.router.push(`/portfolios/x?${query}`)
  await flushPromises()
  const callsOf = (name: string) => mounted.host.calls.filter(([call]) => call === name).map(([, input]) => input)
  return { ...mounted, asked: callsOf, text: () => mounted.wrapper.text() }
}

const invalidNumbers = /NaN|not a number|infinity|undefined/i

describe('overlays and regimes', () => {
  it('say “no value” where the live value is null, with its time, and never 0', async () => {
    const { wrapper, text } = await open(OverlaysView, 'regime=market_risk', {
      history: () => days({ value: [1, null, 0.5] }),
      live: () => live({ value: [null] }),
    })
    const stat = wrapper.findAll('.stat').find((each) => each.find('.name').text() === 'Live value')
    expect(stat?.find('.value').text()).toBe('no value')
    expect(stat?.find('.note').text()).toBe('for 2026-01-01, generated 2026-01-01 13:00 UTC')
    expect(text()).toContain('Periods')
    expect(text()).not.toMatch(invalidNumbers)
  })

  it('ask for the end of the day unless told otherwise, and say when the latest value is meant to be used', async () => {
    const answers = { history: () => days({ value: [1] }), live: () => live({ value: [0.5] }) }
    const byDefault = await open(OverlaysView, 'overlay=vol_target&portfolio=a.20', answers)
    expect(byDefault.asked('portfolio.live')).toMatchObject([{ request: { asOf: 'close' } }])
    expect(byDefault.wrapper.find('.rebalance').exists()).toBe(false)
    const latest = await open(OverlaysView, 'overlay=vol_target&portfolio=a.20&asOf=latest', answers)
    expect(latest.asked('portfolio.live')).toMatchObject([{ request: { asOf: 'latest' } }])
    expect(latest.wrapper.find('.rebalance').text()).toMatch(/10 hours|10 h/)
  })

  it('show an earlier live value again', async () => {
    const { wrapper, asked } = await open(OverlaysView, 'regime=market_risk', {
      history: () => days({ value: [1] }),
      live: () => live({ value: [2] }),
    })
    const value = () =>
      wrapper
        .findAll('.stat')
        .find((each) => each.find('.name').text() === 'Live value')
        ?.find('.value')
        .text()
    expect(value()).toBe('2')
    const picker = wrapper
      .findAllComponents(SelectBox)
      .find((each) => Reflect.get(each.props(), 'label') === 'Live snapshot')
    picker?.vm.$emit('update:modelValue', String(EARLIER))
    await flushPromises()
    expect(value()).toBe('7')
    expect(asked('portfolio.snapshot')).toMatchObject([{ request: { endpoint: 'regime-live' }, createdAt: EARLIER }])
  })

  it('of days without any value are a sentence in place of the chart', async () => {
    const { text } = await open(OverlaysView, 'regime=market_risk', {
      history: () => days({ value: [null, null] }),
      live: () => live({ value: [0] }),
    })
    await expect.poll(text).toContain('No values to draw')
    expect(text()).toContain('no value')
    expect(text()).not.toMatch(invalidNumbers)
  })

  it('become the shading of the workspace that is open, which is then shown', async () => {
    const document = emptyDocument()
    const { wrapper, router, asked, host } = await open(OverlaysView, 'overlay=vol_target&portfolio=a.20', {
      history: () => days({ value: [1, 0.5] }),
      live: () => live({ value: [1] }),
    })
    host.answer('documents.list', () => [{ id: 'w', name: 'Basis', changedAt: 0, series: 0, quickLook: null }])
    host.answer('documents.read', () => ({ id: 'w', name: 'Basis', document, revision: 3 }))
    host.answer('documents.save', () => ({ revision: 4 }))
    await button(wrapper, 'Shade the workbench charts').trigger('click')
    await flushPromises()
    const shading = { kind: 'overlay', portfolio: 'a.20', overlay: 'vol_target' }
    expect(asked('documents.save')).toEqual([
      { kind: 'workspace', id: 'w', document: { ...document, shading }, revision: 3 },
    ])
    expect(router.currentRoute.value.path).toBe('/workbench')
  })

  it('tell what the service changed afterwards', async () => {
    const revisions: Frame = {
      rows: 1,
      columns: [
        timeColumn('day', [FIRST]),
        textColumn('column', ['value']),
        numberColumn('before', [1]),
        numberColumn('after', [0.5]),
      ],
    }
    const answers = { history: () => days({ value: [0.5] }), live: () => live({ value: [1] }), revisions }
    const { text, asked } = await open(OverlaysView, 'regime=market_risk', answers)
    expect(asked('portfolio.revisions')).toMatchObject([
      { request: { endpoint: 'regime', overlay: 'market_risk' } },
      { request: { endpoint: 'regime-live', overlay: 'market_risk' } },
    ])
    expect(text()).toContain('Revised by the service: history of regime market_risk')
  })

  it('ask for the portfolio that an overlay belongs to', async () => {
    const { text, asked } = await open(OverlaysView, 'overlay=vol_target', {})
    expect(text()).toContain('Enter the portfolio too')
    expect(asked('portfolio.live')).toEqual([])
  })
})

describe('prices', () => {
  it('of several tickers keep their gaps, stand beside each other, and correlate', async () => {
    const { text, wrapper, asked } = await open(PricesView, 'tickers=A,%20B&level=index', {
      history: () => days({ A: [1, 2, 3, 4], B: [10, null, 30, 20] }),
    })
    expect(asked('portfolio.history')).toMatchObject([{ request: { endpoint: 'prices', ticker: ['A', 'B'] } }])
    expect(text()).toContain('Correlation of daily price changes')
    const matrix = () => wrapper.find('[aria-label="Correlation of daily price changes"]').text()
    await vi.waitFor(() => expect(matrix()).toContain('–'))
    expect(text()).not.toMatch(invalidNumbers)
  })

  it.each([
    ['no price at all', days({ A: [null, null] }), 'No prices in this range'],
    ['no day', days({ A: [] }), 'No prices in this range'],
    ['one day', days({ A: [5] }), 'Summary by ticker'],
    ['prices of 0 and below', days({ A: [0, -1, 2] }), 'Summary by ticker'],
  ])('%s: a sentence or a correct picture', async (_what, rows, expected) => {
    const { text } = await open(PricesView, 'tickers=A&level=index', { history: () => rows })
    expect(text()).toContain(expected)
    expect(text()).not.toMatch(invalidNumbers)
  })

  it('of 400 tickers over 6 years draw the first of them and say so', async () => {
    const cells = Array.from({ length: 2190 }, (_, day) => 100 + (day % 17))
    const many = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`T${at}`, cells]))
    const { text } = await open(PricesView, `tickers=${Object.keys(many).join(',')}`, { history: () => days(many) })
    await vi.waitUntil(() => text().includes('first 12 of 400 drawn'), { timeout: 20_000 })
    expect(text()).toContain('Correlations are limited to 60 tickers')
  })

  it('refuse days that end before they begin, and ask nobody', async () => {
    const { text, asked } = await open(PricesView, 'tickers=A&from=2026-02-01&to=2026-01-01', {})
    expect(text()).toContain('The first day is after the last day')
    expect(asked('portfolio.history')).toEqual([])
  })
})

describe('a universe', () => {
  it('tells who joined and left, and its members', async () => {
    const { text } = await open(UniverseView, '', {
      history: () => days({ A: [1, 1, 1], B: [1, null, null], C: [null, 1, 1] }),
    })
    for (const title of ['Members by day', '3 tickers over time', 'Additions and removals'])
      await expect.poll(text).toContain(title)
    expect(text()).not.toMatch(invalidNumbers)
  })

  it('of a size that does not exist asks nobody', async () => {
    const { text, asked } = await open(UniverseView, 'size=50', {})
    expect(text()).toContain('There is no universe of 50 tickers. Choose 20, 30, 40, or full.')
    expect(JSON.stringify(asked('portfolio.history'))).not.toContain('"50"')
  })

  it('says what `full` is not for before anyone is asked for its tickers', async () => {
    const { text, wrapper, asked } = await open(UniverseView, '', { tickers: ['BTC', 'ETH'] })
    const section = wrapper.find('.tickers')
    await section.find('input').setValue('multi_core')
    section.findComponent(SelectBox).vm.$emit('update:modelValue', 'full')
    await flushPromises()
    expect(text()).toContain('A portfolio of several factors has no full universe')
    expect(asked('portfolio.tickers')).toEqual([])
    await section.find('form').trigger('submit')
    await flushPromises()
    expect(asked('portfolio.tickers')).toMatchObject([{ request: { id: 'multi_core', universeSize: 'full' } }])
    expect(text()).toContain('Tickers of multi_core, full')
  })
})

describe('factors', () => {
  /**
   * Members of the universe on the day before the values and on their first day; E is a member only on the earlier one.
   */
  const universe: Frame = {
    rows: 2,
    columns: [
      timeColumn('time', [FIRST - DAY, FIRST]),
      ...['A', 'B', 'C', 'D'].map((name) => numberColumn(name, [1, 1])),
      numberColumn('E', [1, null]),
    ],
  }
  const answers: Answers = {
    tickers: ['A', 'B', 'C', 'D'],
    history: ({ endpoint }) =>
      endpoint === 'prices'
        ? days({ A: [1, 1, 1], B: [1, 2, 3], C: [1, 3, 9], D: [1, null, 4] })
        : endpoint === 'universe'
          ? universe
          : days({ A: [1, 1, 1], B: [2, 2, 2], C: [3, 3, null], D: [4, 4, 4] }),
    live: (request) =>
      live({
        ticker: ['A', 'B', 'C', 'D'],
        value: 'asOf' in request && request.asOf === 'latest' ? [4, 3, 2, null] : [1, 2, 3, 4],
      }),
  }

  it('stand live beside the end of day, with what prices did afterwards', async () => {
    const { text, asked, wrapper } = await open(FactorsView, 'factor=momentum&quantiles=3', answers)
    expect(asked('portfolio.live')).toMatchObject([
      { request: { tickers: ['A', 'B', 'C', 'D'], asOf: 'latest' } },
      { request: { asOf: 'close' } },
    ])
    expect(text()).toContain('latest generated 2026-01-01 13:00 UTC')
    // The study is computed in several steps, so the test waits for it.
    const mean = await vi.waitFor(() => {
      const all = wrapper.findAll('.stat')
      return all.find((each) => each.find('.name').text() === 'Mean information coefficient') ?? expect.unreachable()
    })
    expect(mean?.find('.value').text()).toMatch(/^1\.0+$/)
    expect(text()).not.toMatch(invalidNumbers)
  })

  it('take the members of each day and the entry of the next, or say that their list is one of survivors', async () => {
    const histories = (asked: (name: string) => unknown[]) =>
      (asked('portfolio.history') as { request: { endpoint: string; tickers?: string[] } }[]).map(
        ({ request: { endpoint, tickers } }) => [endpoint, tickers?.length],
      )
    const byDate = await open(FactorsView, 'factor=momentum&quantiles=3', answers)
    expect(histories(byDate.asked)).toEqual([
      ['universe', undefined],
      ['factors', 5],
      ['prices', undefined],
    ])
    expect(byDate.text()).not.toContain('Survivorship')
    await vi.waitFor(() => expect(byDate.text()).toContain('entered 1 day after the value'))
    expect(byDate.text()).toContain('After costs')
    for (const list of ['members=today', 'universe=full', 'tickers=A,B,C,D']) {
      const { text, asked } = await open(FactorsView, `factor=momentum&quantiles=3&${list}`, answers)
      expect(text(), list).toContain('Survivorship bias: the history uses one list of tickers for all days')
      expect(histories(asked), list).toEqual([
        ['factors', 4],
        ['prices', undefined],
      ])
    }
    const sameDay = await open(FactorsView, 'factor=momentum&quantiles=3&entry=0', answers)
    expect(sameDay.text()).toContain('Same close (not tradable)')
    expect((await open(FactorsView, 'factor=momentum&cost=x', answers)).text()).toContain('There is no cost of x bps')
  })

  it('rank an earlier live answer again, over the universe of a venue', async () => {
    const { asked, text } = await open(FactorsView, `factor=momentum&venue=venuea&snapshot=${EARLIER}`, answers)
    expect(asked('portfolio.tickers')).toMatchObject([{ request: { exchange: 'venuea' } }])
    expect(asked('portfolio.snapshot')).toMatchObject([{ request: { endpoint: 'factors-live' }, createdAt: EARLIER }])
    expect(text()).toContain('latest generated 2025-12-31 13:00 UTC')
    const odd = await open(FactorsView, 'factor=momentum&venue=nowhere', answers)
    expect(odd.text()).toContain('Options 1 changed')
    await button(odd.wrapper, 'Options 1 changed').trigger('click')
    expect(odd.text()).toContain('nowhere')
  })

  it('compare with others; one that is not known says so in its words', async () => {
    const service = { message: 'Unknown factor: x', status: 404, requestId: null }
    const { text } = await open(FactorsView, 'factor=momentum&with=trend,x', {
      ...answers,
      history(request) {
        if ('id' in request && request.id === 'x') throw new AppError('not-found', null, { service })
        return answers.history!(request)
      },
    })
    expect(text()).toContain('Unknown factor: x')
    await vi.waitFor(() => expect(text()).toContain('Correlation of factors'))
  })

  it('with nothing to rank are sentences', async () => {
    const empty = days({ A: [null, null], B: [null, null] })
    const { text } = await open(FactorsView, 'factor=momentum&tickers=A,B', {
      history: () => empty,
      live: () => live({ ticker: ['A', 'B'], value: [null, null] }),
    })
    await vi.waitFor(() => expect(text()).toContain('No day has enough tickers for 5 groups.'))
    expect(text()).toContain('No values to draw')
    expect(text()).not.toMatch(invalidNumbers)
  })

  it('begin with the factors that are known', async () => {
    const { wrapper, router } = await open(FactorsView, '', answers)
    await button(wrapper, 'carry').trigger('click')
    await flushPromises()
    expect(router.currentRoute.value.query.factor).toBe('carry')
  })
})

describe('lists and pictures', () => {
  it('take names between commas, each once', () => {
    expect(tickerList(' BTC , eth,BTC;\nSOL,, ')).toEqual(['BTC', 'eth', 'SOL'])
  })

  const soft = { canvas: '#000000', text: '#ffffff', textSoft: '#aaaaaa', textFaint: '#888888', accent: '#00ffff' }
  const colours = {
    ...soft,
    line: '',
    lineStrong: '',
    positive: '',
    negative: '',
    warning: '',
    series: ['#111111', '#222222'],
  }
  const frame = { title: 'Picture', provenance: 'Sandbox', widthPx: 600, heightPx: 300, colours }

  it('draw one rectangle per range', () => {
    const ranges = [
      [
        { from: 0, to: 2 },
        { from: 4, to: 5 },
      ],
      [{ from: 1, to: 2 }],
    ]
    const svg = stripSvg({ ...frame, names: ['A', 'B'], days: Int32Array.from([1, 2, 3, 4, 5]), ranges })
    expect(svg.match(/<rect [^>]*fill="#00ffff"/g)).toHaveLength(3)
  })

  it('write the numbers of a matrix and none where there is none', () => {
    const svg = matrixSvg({
      names: ['A', 'B<'],
      values: [
        [1, null],
        [null, -0.5],
      ],
      ...frame,
    })
    expect(svg).toContain('−0.50')
    expect(svg).toContain('B&lt;')
    expect(svg).not.toMatch(/NaN|null/)
  })
})

describe('the regime behind charts', () => {
  const history: Answers['history'] = ({ endpoint }) =>
    endpoint === 'regime' ? days({ value: [0, 0, 1] }) : days({ BTC: [1, 2, 3], ETH: [3, 2, 1] })
  const legend = ({ wrapper }: Awaited<ReturnType<typeof open>>) =>
    wrapper.findAll('ul.legend li').map((each) => each.text())
  const stored = () => JSON.parse(localStorage.getItem('perpscope.portfolios.regime') ?? 'null') as unknown
  const states = [expect.stringMatching(/^market_risk.*0.*2 days$/), expect.stringMatching(/^market_risk.*1.*1 day$/)]

  it('is off at first; once chosen it shades the charts, has a legend and is remembered', async () => {
    const page = await open(PricesView, 'tickers=BTC,ETH', { history })
    expect(legend(page)).toEqual([])
    await button(page.wrapper, 'Shading').trigger('click')
    const field = page.wrapper.find('[aria-label="Shading"] input:not([type=checkbox])')
    await field.setValue('market_risk')
    await field.trigger('change')
    await vi.waitFor(() => expect(legend(page)).toEqual(states))
    expect(stored()).toEqual({ overlay: 'market_risk', isOn: true })
  })

  it('stands behind the charts of the next page, until it is switched off', async () => {
    const page = await open(PricesView, 'tickers=BTC,ETH', { history, regime: { overlay: 'market_risk', isOn: true } })
    await vi.waitFor(() => expect(legend(page)).toEqual(states))
    await button(page.wrapper, 'Shading 1 changed').trigger('click')
    await page.wrapper.find('[aria-label="Shading"] input[type=checkbox]').setValue(false)
    await vi.waitFor(() => expect(legend(page)).toEqual([]))
    expect(stored()).toEqual({ overlay: 'market_risk', isOn: false })
  })
})
