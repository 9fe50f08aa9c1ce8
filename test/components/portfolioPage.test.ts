import type { TableColumn } from '#shared/sheet/columns.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import { flushPromises } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import { cellOf, columnOf, numberColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import { AppError } from '#shared/contract/errors.ts'
import { returnsOfPrices } from '#shared/portfolio/benchmark.ts'
import { dailySeriesOf } from '#shared/portfolio/dailySeries.ts'
import { tearSheet } from '#shared/portfolio/tearSheet.ts'
import { dayFromNumber, dayNumberOf } from '#shared/time/periods.ts'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import type { OwnReturnsAnswer } from '#shared/contract/areas/returns.ts'
import { type TearSheetDocument, tearSheetDocument } from '#shared/portfolio/tearSheetDocument.ts'
import { sheetLines } from '../../electron/cli/sheetLines.ts'
import type { ChartModel } from '../../renderer/charts/model.ts'
import SeriesCard from '../../renderer/cards/SeriesCard.vue'
import TableCard from '../../renderer/cards/TableCard.vue'
import { comparedFields, comparedText, riskFreeOf } from '../../renderer/views/portfolios/portfolio/useReturns.ts'
import PortfolioView from '../../renderer/views/portfolios/portfolio/PortfolioView.vue'
import { returnsCharts, tearSheetSheet, tearSheetTables } from '#shared/portfolio/tearSheetSections.ts'
import { sectionOf } from '#shared/sheet/sheet.ts'
import { yearOverviewOf } from '../../renderer/views/portfolios/yearOverview.ts'
import { randomOf } from '../fakes/panelWorld.ts'
import type { FakeWindowHost } from '../fakes/fakeWindowHost.ts'
import { button, mountWithHost } from './mountWithHost.ts'

const DAY = 86_400_000
const golden = [0.01, -0.02, 0.015, 0, -0.005, 0.03, -0.01, 0.004, -0.012, 0.02]
const freshness: PortfolioFreshness = {
  fetchedAt: Date.UTC(2026, 5, 1, 12),
  source: 'https://portfolio.example.com',
  asked: true,
  dataEndsAt: null,
  problems: [],
  trouble: null,
}

const series = (
  values: readonly (number | null)[],
  times = values.map((_, at) => Date.UTC(2026, 0, 1) + at * DAY),
) => ({
  rows: values.length,
  columns: [timeColumn('time', times), numberColumn('returns', values)],
})

type Answer = { rows: Frame; freshness: PortfolioFreshness }

async function open(
  query: string,
  answer: (portfolio: string) => Answer,
  prepare: (host: FakeWindowHost) => void = () => {},
) {
  const mounted = await mountWithHost(PortfolioView, {}, (host) => {
    host.answer('returns.list', () => [])
    prepare(host)
    host.answer('portfolio.usedIds', () => [{ id: 'used.20', usedAt: 0 }])
    host.answer('portfolio.history', ({ request }) => answer('portfolio' in request ? request.portfolio : 'price'))
  })
  await mounted.router.push(`/portfolios/portfolio?${query}`)
  await flushPromises()
  const stats = () =>
    Object.fromEntries(
      mounted.wrapper.findAll('.stat').map((stat) => [stat.find('.name').text(), stat.find('.value').text()]),
    )
  return { ...mounted, stats, text: () => mounted.wrapper.text() }
}

type Wrapper = Awaited<ReturnType<typeof open>>['wrapper']

interface ShownTable {
  frame: Frame
  columns: readonly TableColumn[]
}

/** Reads the visible tables by name, row by row and column by column. */
function tablesOf(wrapper: Wrapper) {
  const cards = wrapper.findAllComponents(TableCard).map((card) => ({
    name: card.props('name') as string,
    table: card.props('table') as ShownTable,
  }))
  return Object.fromEntries(
    cards.map(({ name, table: { frame, columns } }) => [
      name,
      Array.from({ length: frame.rows }, (_, row) => columns.map(({ key }) => cellOf(columnOf(frame, key)!, row))),
    ]),
  )
}

const timeOf = (day: string | null) => (day === null ? null : Date.parse(day))

/** Returns the tables as `portfolio tearsheet --json` has them. */
const printedTables = ({ years, windows, drawdowns, extremes }: TearSheetDocument) => ({
  'portfolio.years': years.map(({ year, isYearToDate, months, total }) => [
    isYearToDate ? `${year} YTD` : String(year),
    ...months,
    total,
  ]),
  'portfolio.windows': windows.map(({ id, name, start, figures }) => [
    id === 'all' ? name : id,
    timeOf(start),
    ...['totalReturn', 'cagr', 'volatility', 'sharpe', 'sortino', 'maxDrawdown', 'calmar', 'days'].map(
      (figure) => figures?.[figure] ?? null,
    ),
  ]),
  'portfolio.drawdowns': drawdowns.map(({ depth, start, trough, recovery, lengthDays }) => [
    depth,
    timeOf(start),
    timeOf(trough),
    recovery ?? 'not recovered',
    lengthDays,
  ]),
  'portfolio.extremes': extremes.days.best.map((best, at) => [
    at + 1,
    timeOf(best.start),
    best.return,
    timeOf(extremes.days.worst[at].start),
    extremes.days.worst[at].return,
  ]),
})

/**
 * Reads the curves of the portfolio from the first to the last day, inclusive; a pane without any value is left out.
 */
function curvesOf(wrapper: Wrapper, startDay: number, lastDay: number) {
  const panes = wrapper.findAllComponents(SeriesCard).flatMap((card) => (card.props('model') as ChartModel).panes)
  const inRange = ({ times, values, valid }: { times: Float64Array; values: Float64Array; valid: Uint8Array | null }) =>
    [...values].flatMap((value, at) => {
      const day = times[at] / DAY
      return day < startDay || day > lastDay ? [] : [valid?.[at] === 0 ? null : value]
    })
  const curves = panes.map(({ id, series: [curve] }) => [id, inRange(curve as Parameters<typeof inRange>[0])] as const)
  return withValues(curves.filter(([id]) => id !== 'beta'))
}

const printedCurves = ({ daily }: TearSheetDocument) =>
  withValues([
    // Rounding differs, because the window divides values where the command line multiplies returns.
    ['equity', daily.equity.map((value) => value && expect.closeTo(value, 12))],
    ['underwater', daily.drawdown],
    ['sharpe', daily.rollingSharpe],
    ['volatility', daily.rollingVolatility],
  ])

const withValues = (curves: readonly (readonly [string, readonly unknown[]])[]) =>
  Object.fromEntries(curves.filter(([, values]) => values.some((value) => value !== null)))

describe('the portfolio page', () => {
  it('shows the figures of the golden vector, each with its formula', async () => {
    const { stats, wrapper, text } = await open('portfolio=a.20', () => ({ rows: series(golden), freshness }))
    expect(stats()).toMatchObject({
      Days: '10',
      'Total return': '3.13%',
      Sharpe: '3.90',
      'Maximum drawdown': '−2.00%',
      'Win rate': '55.56%',
    })
    const sharpe = wrapper.findAll('.stat').find((each) => each.find('.name').text() === 'Sharpe')!
    expect(Number(sharpe.find('.value').attributes('title'))).toBeCloseTo(3.903529560943298, 12)
    const name = wrapper.findAll('.stat .name').find((each) => each.text() === 'Calmar')!
    expect(name.attributes('title')).toContain('CAGR over the absolute maximum drawdown')
    await name.trigger('click')
    expect(name.attributes('aria-expanded')).toBe('true')
    expect(text()).toContain('365 days a year, sample standard deviation, risk-free 0 %')
  })

  it('computes anew for the days of the address', async () => {
    const { stats, router, text } = await open('portfolio=a.20&from=2026-01-01&to=2026-01-02', () => ({
      rows: series(golden),
      freshness,
    }))
    expect(stats()).toMatchObject({ Days: '2', 'Total return': '−1.02%' })
    await router.push('/portfolios/portfolio?portfolio=a.20&from=2030-01-01')
    await flushPromises()
    expect(stats()).toMatchObject({ Days: '–not defined here', Sharpe: '–not defined here' })
    expect(text()).toContain('No returns in this range')
  })

  it('ends all curves on the last day of the range, while the chart still covers all days', async () => {
    const { wrapper, stats } = await open('portfolio=a.20&from=2026-01-02&to=2026-01-04&compare=b', (portfolio) => ({
      rows: series(portfolio === 'b' ? golden.map((value) => value * 2) : golden),
      freshness,
    }))
    const models = wrapper.findAllComponents(SeriesCard).map((card) => card.props('model') as ChartModel)
    const lines = models.flatMap(({ panes }) => panes.flatMap((pane) => pane.series))
    expect(lines.length).toBeGreaterThanOrEqual(4)
    for (const { times, values } of lines) {
      expect([times.at(-1), values.length]).toEqual([Date.UTC(2026, 0, 4), times.length])
    }
    const last = lines.find(({ id }) => id.startsWith('equity'))?.values.at(-1) ?? NaN
    expect(`${((last - 1) * 100).toFixed(2)}%`.replace('-', '−')).toBe(stats()['Total return'])
    expect(models[0].extent).toEqual({ startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2026, 0, 11) })
  })

  it('puts a tested portfolio of the Lab beside one of the service, by its net returns, and says where it has no result', async () => {
    const result = { kind: 'portfolio', days: ['2026-01-01', '2026-01-02', '2026-01-03'], net: [0.1, -0.05, 0.02] }
    const { text, wrapper } = await open(
      'portfolio=a.20&compare=tested:t1,tested:t2',
      () => ({ rows: series(golden), freshness }),
      (host) => {
        host.answer('documents.list', () => [])
        host.answer(
          'documents.read',
          ({ id }: { id: string }) => ({ id, name: id === 't1' ? 'Carry' : 'Fresh' }) as never,
        )
        host.answer('lab.answer', ({ id }: { id: string }) => (id === 't1' ? { result } : null) as never)
      },
    )
    const compared = wrapper.findAll('[aria-label="Compared with"] li').map((each) => each.text())
    expect(compared).toEqual(['Carry (net)', 'Fresh'])
    expect(text()).toContain('“Fresh” has no result yet. Run it in the Lab first.')
    expect(tablesOf(wrapper)['portfolio.sides'].map(([name]) => name)).toEqual(['a.20', 'Carry (net)'])
    const { panes } = wrapper.findComponent(SeriesCard).props('model') as ChartModel
    expect(panes[0].series.map(({ label }) => label)).toEqual(['a.20', 'Carry (net)'])
    // The expected value is 1.1 · 0.95 · 1.02 − 1.
    expect(Number(tablesOf(wrapper)['portfolio.sides'][1][2])).toBeCloseTo(0.0659, 10)
  })

  it('compares portfolios that are typed, several at once with Enter, up to six in all', async () => {
    const { wrapper, router } = await open('portfolio=a.20', () => ({ rows: series(golden), freshness }))
    const press = (name: string) =>
      wrapper
        .findAll('button')
        .find((each) => each.text() === name)!
        .trigger('click')
    await press('Compare …')
    const field = wrapper.get('[aria-label="Compare with"] input[list]')
    await field.setValue('b.20, c.20 a.20')
    await field.trigger('keydown', { key: 'Enter' })
    await flushPromises()
    expect(router.currentRoute.value.query.compare).toBe('b.20,c.20')
    expect((field.element as HTMLInputElement).value).toBe('')
    expect(tablesOf(wrapper)['portfolio.sides'].map(([name]) => name)).toEqual(['a.20', 'b.20', 'c.20'])
    await field.setValue('d.20 e.20 f.20 g.20')
    await press('Add')
    await flushPromises()
    expect(router.currentRoute.value.query.compare).toBe('b.20,c.20,d.20,e.20,f.20')
    expect(wrapper.text()).toContain('At most 6 portfolios can be compared.')
  })

  it('asks how a file of one’s own writes its returns, then shows it beside a portfolio of the service', async () => {
    const read: OwnReturnsAnswer = {
      id: 'f1',
      name: 'fund.csv',
      unit: null,
      cost: null,
      readAt: 0,
      source: 'current',
      problems: [],
      shown: null,
    }
    let answer = read
    const opened = await open(
      'portfolio=own:f1&compare=a.20',
      () => ({ rows: series(golden), freshness }),
      (host) => {
        host.answer('returns.list', () => [{ id: 'f1', name: 'fund.csv' }])
        host.answer('returns.read', () => answer)
        host.answer('returns.change', () => {
          answer = {
            ...read,
            unit: 'percent',
            shown: {
              kind: 'returns',
              returns: series([0.01, -0.02, 0.03]),
              benchmark: series([0.02, 0.01, -0.01]),
              warnings: [{ line: 3, kind: 'gap', detail: '1 day is missing before this line: 2026-01-02' }],
              coverage: null,
              freshness: null,
            },
          }
          host.emit('returns.changed', {})
          return null
        })
      },
    )
    expect(opened.text()).toContain('How are returns written in fund.csv?')
    await button(opened.wrapper, '1.2 means 1.2 %').trigger('click')
    await flushPromises()
    expect(opened.host.calls).toContainEqual(['returns.change', { id: 'f1', unit: 'percent' }])
    expect(opened.stats()).toMatchObject({ Days: '3', 'Total return': '1.95%' })
    expect(opened.text()).toContain('Line 3: 1 day is missing before this line: 2026-01-02.')
    // Returns from a file are never refreshed from a service.
    expect(opened.text()).not.toContain('Not loaded yet')
    expect(opened.text()).toContain('fund.csv, read 1970-01-01 00:00')
    expect(tablesOf(opened.wrapper)['portfolio.sides'].map(([name]) => name)).toEqual(['fund.csv', 'a.20'])
    const { panes } = opened.wrapper.findComponent(SeriesCard).props('model') as ChartModel
    expect(panes[0].series.map(({ label }) => label)).toEqual(['fund.csv', 'a.20', 'benchmark of fund.csv'])
  })

  it('puts a file of one’s own, a tested portfolio and one of the service into one table and one chart', async () => {
    const read: OwnReturnsAnswer = {
      ...{ id: 'f1', name: 'fund.csv', unit: 'percent', cost: null, readAt: 0, source: 'current', problems: [] },
      shown: {
        ...{ kind: 'returns', returns: series([0.01, -0.02, 0.03]), benchmark: null },
        ...{ warnings: [], coverage: null, freshness: null },
      },
    }
    const result = { kind: 'portfolio', days: ['2026-01-01', '2026-01-02', '2026-01-03'], net: [0.1, -0.05, 0.02] }
    const { wrapper } = await open(
      'portfolio=own:f1&compare=tested:t1,a.20',
      () => ({ rows: series(golden), freshness }),
      (host) => {
        host.answer('returns.list', () => [{ id: 'f1', name: 'fund.csv' }])
        host.answer('returns.read', () => read)
        host.answer('documents.list', () => [])
        host.answer('documents.read', ({ id }: { id: string }) => ({ id, name: 'Carry' }) as never)
        host.answer('lab.answer', () => ({ result }) as never)
      },
    )
    const names = ['fund.csv', 'Carry (net)', 'a.20']
    const rows = tablesOf(wrapper)['portfolio.sides']
    expect(rows.map(([name]) => name)).toEqual(names)
    // The expected totals are 1.01 · 0.98 · 1.03 − 1, 1.1 · 0.95 · 1.02 − 1, and the figure of the conformance case.
    for (const [at, total] of [0.019494, 0.0659, 0.0313].entries()) expect(Number(rows[at][2])).toBeCloseTo(total, 4)
    const panes = wrapper.findAllComponents(SeriesCard).flatMap((card) => (card.props('model') as ChartModel).panes)
    for (const id of ['equity', 'underwater'])
      expect(panes.find((pane) => pane.id === id)?.series.map(({ label }) => label)).toEqual(names)
  })

  it.each([
    ['all null', series([null, null, null]), 'This portfolio has no return on any day.'],
    ['no day', series([]), 'no data for this portfolio'],
    ['repeated days', series([0.01, 0.02], [0, 0]), 'one day appears twice'],
    ['days out of order', series([0.01, 0.02], [DAY, 0]), 'out of order'],
    ['a value that is none', series([0.01, NaN, 0.02]), 'not numeric'],
    ['one day', series([0.01]), 'Total return'],
    ['a short history', series([0.01, 0.02]), 'Rolling statistics need 365 days with a return; only 2 are available'],
    ['losses of more than all', series([0.01, -1.5, 0.02, -1.1]), '2 values are below −100 % (first on 2026-01-02)'],
  ])('%s: words or numbers, never NaN', async (_what, rows, expected) => {
    const { text } = await open('portfolio=a.20', () => ({ rows, freshness }))
    expect(text()).toContain(expected)
    expect(text()).not.toMatch(/NaN|not a number|infinity|undefined/)
  })

  it('shows the figures that the command line prints, on random ranges', async () => {
    const random = randomOf(18)
    const DAYS = 900
    const orNone = (value: number) => (random() < 0.05 ? null : value)
    const returns = series(Array.from({ length: DAYS }, () => orNone(0.08 * (random() - 0.48))))
    const prices = series(Array.from({ length: DAYS }, (_, at) => orNone(100 * Math.exp(at / 500 + random() / 9))))
    const { stats, router, wrapper } = await open('portfolio=a.20', (portfolio) => ({
      rows: portfolio === 'price' ? prices : returns,
      freshness,
    }))
    const printed = (startDay: number, lastDay: number, isBeside: boolean) => {
      const sheet = tearSheet(dailySeriesOf(returns).series, {
        startDay,
        endDay: lastDay + 1,
        riskFree: 0.03,
        rollingWindow: 90,
        today: Math.floor(Date.now() / DAY),
        ...(isBeside && { benchmark: returnsOfPrices(dailySeriesOf(prices).series) }),
      })
      const request = { portfolio: 'a.20', benchmark: 'BTC', riskFree: 0.03 }
      return {
        document: tearSheetDocument(request, sheet, [], null),
        lines: sheetLines(tearSheetSheet(request, sheet, true)).map((line) => line.split(/ {2,}/)),
      }
    }
    const first = dayNumberOf('2026-01-01')
    for (let range = 0; range < 5; range++) {
      const startDay = first + Math.floor(random() * (DAYS - 2))
      const lastDay = Math.min(first + DAYS - 1, startDay + Math.floor(DAYS * random() ** 2))
      const isBeside = range % 2 === 0
      const days = `from=${dayFromNumber(startDay)}&to=${dayFromNumber(lastDay)}&window=90&riskFree=3`
      await router.push(`/portfolios/portfolio?portfolio=a.20&${days}${isBeside ? '&benchmark=BTC' : ''}`)
      await flushPromises()
      const { document, lines } = printed(startDay, lastDay, isBeside)
      const compact = (text: string | undefined) => text?.replaceAll(/\s|not defined here/g, '')
      const shown = Object.entries(stats())
      expect(shown.length).toBeGreaterThan(isBeside ? 20 : 15)
      for (const [name, value] of shown) {
        const line = lines.find(([title]) => title === name || title === `${name} (BTC)`)
        expect(`${days} ${name} ${compact(value)}`).toBe(`${days} ${name} ${compact(line?.at(1))}`)
      }
      // The tables are filled after the next paint.
      await vi.waitFor(() => expect(tablesOf(wrapper)).toEqual(printedTables(document)))
      expect(curvesOf(wrapper, startDay, lastDay)).toEqual(printedCurves(document))
    }
  })

  it('says that there is no smoothing of 7 days, and asks nobody for it', async () => {
    const { text, host } = await open('portfolio=a.20&smoothing=7', () => ({ rows: series(golden), freshness }))
    expect(text()).toContain('There is no 7-day smoothing')
    // The list of portfolios below the message shows returns over the last year, which are not smoothed.
    const asked = host.calls.filter(([name]) => name === 'portfolio.history')
    expect(asked.filter(([, input]) => JSON.stringify(input).includes('smoothing'))).toEqual([])
    // A portfolio that is only shown in the list does not count as used; otherwise it would be first at the next visit.
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.filter(([, input]) => !(input as { isPreview?: boolean }).isPreview)).toEqual([])
  })

  it('shows the service’s own words for a portfolio it does not know', async () => {
    const service = { message: 'Unknown portfolio: x', status: 404, requestId: null }
    const { text } = await open('portfolio=x', () => {
      throw new AppError('not-found', null, { service })
    })
    expect(text()).toContain('Unknown portfolio: x')
  })

  it('offline it shows what is known and as of when', async () => {
    const trouble = new AppError('offline').toShape()
    const { text, stats } = await open('portfolio=a.20', () => ({
      rows: series(golden),
      freshness: { ...freshness, trouble },
    }))
    expect(text()).toContain('Perpscope is offline. Showing returns as of 2026-06-01 12:00 UTC.')
    expect(stats().Days).toBe('10')
  })

  it('puts others beside it; one that fails says so and the rest stays', async () => {
    const { text } = await open('portfolio=a.20&compare=b.20~10,c.20', (portfolio) => {
      if (portfolio === 'c.20') throw new AppError('not-found')
      return { rows: series(golden), freshness }
    })
    expect(text()).toContain('Side by side')
    expect(text()).toContain('c.20: The requested item does not exist')
  })

  it('without a portfolio offers those that were used and the sandbox’s', async () => {
    const { wrapper, router } = await open('', () => ({ rows: series(golden), freshness }))
    const rows = () => wrapper.findAll('.ids tr')
    const offered = wrapper.findAll('.ids td:nth-child(2) button')
    expect(offered[0].text()).toBe('used.20')
    expect(offered.length).toBeGreaterThan(10)
    // The returns of the test cover only days, so the return over a year is left empty.
    await vi.waitFor(() => expect(rows()[1].text()).toMatch(/– *– *–/))
    await wrapper.find('input[type=search]').setValue('lo 30')
    expect(rows().map((row) => row.find('td:nth-child(2) button').text())).toContain('carry_lo.30')
    expect(rows().every((row) => row.text().includes('.30'))).toBe(true)
    // A favourite comes first in the list.
    await wrapper.find('[aria-label="Favourite: carry_lo.30"]').trigger('click')
    await wrapper.find('input[type=search]').setValue('')
    expect(rows()[0].find('td:nth-child(2) button').text()).toBe('carry_lo.30')
    await wrapper.find('[aria-label="Favourite: carry_lo.30"]').trigger('click')

    await wrapper.findAll('.ids td:nth-child(2) button')[1].trigger('click')
    await flushPromises()
    expect(router.currentRoute.value.query.portfolio).toBe('momentum_ls.20')
  })
})

describe('the tables of the tear sheet', () => {
  const first = dayNumberOf('2025-12-30')
  const days = Int32Array.from({ length: 5 }, (_, at) => first + at)
  const sheet = tearSheet({ days, values: Float64Array.of(0.1, -0.5, 0.2, 0.1, -0.1), valid: null })
  const cell = (frame: Frame, name: string, row: number) => cellOf(columnOf(frame, name)!, row)

  it('leave months without a return blank, and name the running year', () => {
    const { frame } = sectionOf({ sections: tearSheetTables(sheet) }, 'table', 'years')
    expect(cell(frame, 'year', 0)).toBe('2025')
    expect(cell(frame, 'Nov', 0)).toBeNull()
    expect(cell(frame, 'Dec', 0)).toBeCloseTo(1.1 * 0.5 - 1, 12)
    expect(cell(frame, 'year', 1)).toBe('2026 YTD')
    expect(cell(frame, 'Feb', 1)).toBeNull()
  })

  it('sum up the last year as the window 1Y of the tear sheet does', () => {
    const long = Int32Array.from({ length: 500 }, (_, at) => first + at)
    const series = { days: long, values: Float64Array.from(long, (_, at) => Math.sin(at * at) / 50), valid: null }
    const year = tearSheet(series).windows.find(({ id }) => id === '1Y')!
    const overview = yearOverviewOf(series)!
    expect(overview.figures).toEqual(year.figures)
    expect(overview.equity.values.at(-1)! - 1).toBeCloseTo(year.figures!.totalReturn!, 12)
    const short = { ...series, days: long.subarray(0, 100), values: series.values.subarray(0, 100) }
    expect(yearOverviewOf(short)!.figures).toBeNull()
  })

  it('say “not recovered” of an open drawdown', () => {
    const { frame } = sectionOf({ sections: tearSheetTables(sheet) }, 'table', 'drawdowns')
    expect(cell(frame, 'recovery', 0)).toBe('not recovered')
  })

  it('draw equity from 1 at the start of the view, with what was before it', () => {
    const series = { days, values: Float64Array.of(0.1, -0.5, 0.2, 0.1, -0.1), valid: null }
    const inView = tearSheet(series, { startDay: first + 2 })
    const [equity, underwater] = returnsCharts({
      portfolios: [{ id: 'a', label: 'a', whole: sheet, inView }],
      benchmark: null,
      isLog: true,
    })
    expect([equity.isLog, underwater.isLog ?? false]).toEqual([true, false])
    expect(equity.series[0].values[1]).toBeCloseTo(1, 12)
    expect(equity.series[0].values[2]).toBeCloseTo(1.2, 12)
    expect(underwater.series[0].x.length).toBe(3)
  })

  it('show a benchmark only on the days of the portfolio, and leave out rolling figures without a full window', () => {
    const old = Int32Array.from({ length: 400 }, (_, at) => first - 390 + at)
    const prices = { days: old, values: Float64Array.from(old, (_, at) => 100 + at), valid: null }
    const portfolios = [{ id: 'a', label: 'a', whole: sheet, inView: sheet }]
    const given = { label: 'BTC', prices, returns: returnsOfPrices(prices) }
    const charts = returnsCharts({ portfolios, benchmark: given })
    expect(charts.map(({ id }) => id)).toEqual(['equity', 'underwater'])
    const benchmark = charts[0].series[1]
    expect([...benchmark.x].map((time) => time / DAY)).toEqual([...days])
    expect(benchmark.values[0]).toBeCloseTo(490 / 489, 12)

    // The daily returns are all scaled by one factor to the volatility of the portfolio, and the name of the series
    // says so.
    const moving = { ...prices, values: prices.values.map((price, at) => price * (1 + 0.2 * Math.sin(at))) }
    const own = { label: 'BTC', prices: moving, returns: returnsOfPrices(moving) }
    const [portfolio, scaled] = returnsCharts({ portfolios, benchmark: own, isMatched: true })[0].series
    const returnsOf = ({ values }: { values: Float64Array }) =>
      [...values.keys()].slice(1).map((at) => values[at] / values[at - 1] - 1)
    const [before, after] = [...moving.values.subarray(390, 392)]
    const factor = returnsOf(scaled)[0] / (after / before - 1)
    const deviation = (values: number[]) => {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
    }
    const all = (series: { values: Float64Array }, before: number) => [
      series.values[0] / before - 1,
      ...returnsOf(series),
    ]
    expect(deviation(all(scaled, 1))).toBeCloseTo(deviation(all(portfolio, 1)), 9)
    expect(scaled.label).toBe(`BTC × ${formatNumber(factor, 2)}`)
  })
})

describe('the address of the portfolio page', () => {
  it('holds what is compared, and takes any text', () => {
    const all = [
      { portfolio: 'a.20', smoothing: '', exchange: '' },
      { portfolio: 'b', smoothing: '10', exchange: 'venuea' },
    ]
    expect(comparedText(all)).toBe('a.20,b~10~venuea')
    expect(comparedFields(comparedText(all))).toEqual(all)
    expect(comparedFields(',~~,')).toEqual([])
    expect([riskFreeOf('4.5'), riskFreeOf('4.5 %'), riskFreeOf('x'), riskFreeOf('-100')]).toEqual([
      0.045,
      0.045,
      null,
      null,
    ])
  })
})
