import { flushPromises } from '@vue/test-utils'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { cellOf, columnOf, numberColumn, textColumn, timeColumn, type Frame } from '#shared/contract/frame.ts'
import type { PortfolioFreshness } from '#shared/contract/areas/portfolio.ts'
import { AppError } from '#shared/contract/errors.ts'
import { dailyMatrixOf, runSteps } from '#shared/portfolio/dailySeries.ts'
import {
  daysOfMatrix,
  matrixFrame,
  tickersBySize,
  weightLayers,
  exposureChart,
} from '../../renderer/views/portfolios/weights/weightFrames.ts'
import { weightFigures } from '#shared/portfolio/weightsHistory.ts'
import RebalanceNote from '../../renderer/views/portfolios/weights/RebalanceNote.vue'
import { tickerValues } from '../../renderer/views/portfolios/usePortfolioAnswer.ts'
import SelectBox from '../../renderer/components/SelectBox.vue'
import SnapshotPicker from '../../renderer/views/portfolios/SnapshotPicker.vue'
import WeightsView from '../../renderer/views/portfolios/weights/WeightsView.vue'
import { mountWithHost } from './mountWithHost.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
const midnight = Date.UTC(2026, 5, 2)
const freshness: PortfolioFreshness = {
  fetchedAt: midnight,
  source: 'https://portfolio.example.com',
  asked: true,
  dataEndsAt: null,
  problems: [],
  trouble: null,
}
const snapshot = (weights: Record<string, number | null>): Frame => ({
  rows: Object.keys(weights).length,
  columns: [textColumn('ticker', Object.keys(weights)), numberColumn('value', Object.values(weights))],
})
const history = (tickers: Record<string, (number | null)[]>, start = Date.UTC(2026, 0, 1), stepMs = DAY): Frame => {
  const rows = Object.values(tickers)[0]?.length ?? 0
  const times = Array.from({ length: rows }, (_, at) => start + at * stepMs)
  return {
    rows,
    columns: [timeColumn('time', times), ...Object.entries(tickers).map(([name, cells]) => numberColumn(name, cells))],
  }
}

async function open(
  query: string,
  byDay: Frame = history({ A: [0.5, 0.4], B: [-0.5, -0.4] }),
  closeLoaded = Promise.resolve(),
  createdAt: number | null = midnight + HOUR,
) {
  const mounted = await mountWithHost(WeightsView, {}, (host) => {
    host.answer('portfolio.usedIds', () => [])
    host.answer('portfolio.history', () => ({ rows: byDay, freshness }))
    host.answer('portfolio.live', async ({ request }) => {
      const isClose = 'asOf' in request && request.asOf === 'close'
      if (isClose) await closeLoaded
      const rows = isClose ? snapshot({ A: 0.5, B: -0.5, C: null }) : snapshot({ A: 0.3, B: -0.5, D: 0.2 })
      return { day: midnight, createdAt, rows, freshness }
    })
    host.answer('portfolio.snapshots', () => [
      { day: midnight, createdAt: midnight + HOUR, fetchedAt: midnight },
      { day: midnight, createdAt: midnight, fetchedAt: midnight },
      { day: midnight, createdAt: null, fetchedAt: midnight - HOUR },
    ])
    host.answer('portfolio.snapshot', ({ createdAt }) => {
      if (createdAt !== midnight) throw new AppError('not-here')
      return { day: midnight, createdAt, rows: snapshot({ A: 0.9 }) }
    })
  })
  await mounted.router.push(`/portfolios/weights?${query}`)
  await flushPromises()
  const stats = () =>
    Object.fromEntries(
      mounted.wrapper.findAll('.stat').map((stat) => [stat.find('.name').text(), stat.find('.value').text()]),
    )
  return { ...mounted, stats, text: () => mounted.wrapper.text() }
}

describe('the weights page', () => {
  it('does not call the turnover undefined while the close is loading', async () => {
    const { stats, text } = await open('portfolio=a.20', undefined, new Promise(() => undefined))
    expect(stats()['Turnover, two-way']).toBe('loading …')
    expect(text()).not.toMatch(/not defined here|no closing weights/)
  })

  it('puts latest beside close: turnover both ways, named, and exposure', async () => {
    const { stats, text } = await open('portfolio=a.20')
    expect(stats()).toMatchObject({
      'Turnover, two-way': '40.00%',
      'Turnover, one-way': '20.00%',
      Gross: '100.00%',
      Net: '0.00%',
      Names: '3',
    })
    expect(text()).toContain('close of 2026-06-02')
  })

  it('looks at an earlier live snapshot again', async () => {
    const { stats, text } = await open(`portfolio=a.20&snapshot=${midnight}`)
    expect(stats()).toMatchObject({ Gross: '90.00%', Names: '1' })
    expect(text()).toContain('2026-06-02 00:00 UTC')
  })

  it('says that the service does not say when it generated the weights, and names an earlier one by its fetch', async () => {
    const { text, wrapper } = await open('portfolio=a.20', undefined, undefined, null)
    expect(text()).toContain('The service does not say when it generated these weights.')
    await wrapper
      .findAll('button')
      .find((each) => each.text() === 'Options')!
      .trigger('click')
    const picker = wrapper.findComponent(SnapshotPicker).findComponent(SelectBox)
    expect((picker.props() as { options: unknown[] }).options.at(-1)).toEqual({
      value: String(midnight - HOUR),
      title: expect.stringContaining('first fetched 2026-06-01 23:00') as string,
    })
  })

  it('says that an earlier snapshot is not here', async () => {
    expect((await open('portfolio=a.20&snapshot=5')).text()).toContain('The data is not in the cache on this machine.')
  })

  it.each([
    ['no day', history({})],
    ['all null', history({ A: [null, null] })],
    ['one day', history({ A: [1] })],
    ['a day twice', history({ A: [1, 0.5] }, Date.UTC(2026, 0, 1), 0)],
  ])('%s in the history: words or a picture, never NaN', async (_what, frame) => {
    const { text } = await open('portfolio=a.20&look=table', frame)
    expect(text()).not.toMatch(/NaN|not a number|infinity|undefined/)
  })
})

describe('the reminder', () => {
  const noteText = async (nowMs: number, createdAtMs: number | null) => {
    vi.useFakeTimers({ now: nowMs, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    return (
      await mountWithHost(RebalanceNote, { snapshot: createdAtMs === null ? null : { createdAt: createdAtMs } })
    ).wrapper.text()
  }

  it('recommends latest from 10 hours after midnight on, not before', async () => {
    expect(await noteText(midnight + 10 * HOUR, null)).toContain('may use the latest weights now')
    expect(await noteText(midnight + 10 * HOUR - 1, null)).toContain('Use the closing weights')
    expect(await noteText(midnight + 20 * HOUR, null)).toContain('the next is in 4 h 00 min')
  })

  it('says how old the snapshot is', async () => {
    expect(await noteText(midnight + 13.5 * HOUR, midnight + 13.1 * HOUR)).toContain(
      'no hourly refresh has been missed',
    )
    expect(await noteText(midnight + 13.5 * HOUR, midnight + 10.1 * HOUR)).toContain('3 hourly refreshes')
    expect(await noteText(midnight, midnight + HOUR)).toContain('Check its clock')
  })
})

describe('what is drawn of weights', () => {
  const { matrix } = dailyMatrixOf(
    history({ A: [0.5, null, 0.3], B: [-0.2, -0.2, -0.2], Z: [0, 0, null], ...many(14) }),
  )

  it('leaves out tickers that never have a weight, the largest first', () => {
    expect(
      tickersBySize(matrix)
        .map(({ ticker }) => ticker)
        .slice(0, 2),
    ).toEqual(['A', 'B'])
    expect(tickersBySize(matrix).some(({ ticker }) => ticker === 'Z')).toBe(false)
  })

  it('adds up in layers to the sum of all weights, longs and shorts apart', () => {
    const layers = weightLayers(matrix, tickersBySize(matrix))
    const sum = layers.reduce((total, { values }) => total + values[2], 0)
    expect(sum).toBeCloseTo(0.3 - 0.2 + 14 * 0.01, 12)
    expect(layers.at(-1)?.label).toBe('4 others, long')
  })

  it('keeps missing weights missing in the table, and cuts to days', () => {
    const cut = daysOfMatrix(matrix, matrix.days[1], matrix.days[2])
    const frame = matrixFrame(cut, tickersBySize(cut))
    expect(frame.rows).toBe(1)
    expect(columnOf(frame, 'A')).toBeUndefined()
    expect(cellOf(columnOf(frame, 'B')!, 0)).toBe(-0.2)
  })

  it('has a pane each for exposure, names, concentration and turnover, with gaps where there are no weights', () => {
    const gappy = dailyMatrixOf(history({ A: [0.5, null, 0.3, 0.1] })).matrix
    const chart = exposureChart(runSteps(weightFigures(gappy)))
    expect(chart.panes.map(({ id }) => id)).toEqual(['exposure', 'names', 'concentration', 'turnover'])
    expect([...(chart.panes[0].series[0].valid ?? [])]).toEqual([1, 0, 1, 1])
    expect([...(chart.panes[3].series[0].valid ?? [])]).toEqual([0, 0, 0, 1])
  })

  it('a ticker that came twice has its later weight, a missing one none', () => {
    const rows = { rows: 3, columns: [textColumn('ticker', ['A', 'B', 'A']), numberColumn('value', [1, null, 2])] }
    expect([...tickerValues(rows)]).toEqual([
      ['A', 2],
      ['B', null],
    ])
  })
})

function many(count: number): Record<string, number[]> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`S${at}`, [0.01, 0.01, 0.01]]))
}
