import { createPinia, setActivePinia } from 'pinia'
import { expect, it } from 'vitest'
import type { BoardAnswer, BoardContent } from '#shared/contract/areas/boards.ts'
import { chartHtml } from '#shared/report/chartHtml.ts'
import { contentKey, useBoards } from '../../renderer/stores/boards.ts'
import { useHost } from '../../renderer/stores/host.ts'
import type { ChartColours } from '../../renderer/charts/chartColours.ts'
import { figureFrame, paintFigure, valuesAt } from '../../renderer/charts/small/figure.ts'
import { chartFigure } from '../../renderer/charts/small/chartFigure.ts'
import { chartCaption } from '../../renderer/views/boards/partContent.ts'
import { fakeWindowHost } from '../fakes/fakeWindowHost.ts'

const candleNames = ['BTC close open', 'BTC close', 'BTC close low', 'BTC close high']
const note: BoardContent = { kind: 'text', markdown: 'A note' }
const test: BoardContent = { kind: 'study', document: { version: 1, kind: 'portfolio' }, panel: null, against: null }
const study: BoardContent = { kind: 'study', document: { version: 1, kind: 'signal' }, panel: null, against: null }

const partsOf = (contents: BoardContent[]) =>
  contents.map((content, at) => ({ id: `p${at}`, columns: 4, rows: 2, content }))

/** Opens a board with these contents on a host that gives these answers for its parts. */
async function openBoard(
  contents: BoardContent[],
  answer: (content: { kind: string }) => BoardAnswer | Promise<BoardAnswer>,
) {
  setActivePinia(createPinia())
  const host = fakeWindowHost()
  useHost().provide(host)
  const document = { version: 1 as const, parts: partsOf(contents) }
  host.answer('documents.list', () => [{ id: 'b', name: 'Board', changedAt: 0, parts: contents.length }])
  host.answer('documents.read', () => ({ id: 'b', name: 'Board', document, revision: 1 }))
  host.answer('boards.answer', ({ content }) => answer(content))
  const boards = useBoards()
  await boards.start()
  await boards.open('b')
  return boards
}

const answerWith = (title: string) => ({ title, parts: [], warnings: [], sources: 0 }) as unknown as BoardAnswer

it('never runs a tested portfolio by itself, because on new data each run is a trial', async () => {
  const asked: unknown[] = []
  const boards = await openBoard([note, test, study], (content) => {
    asked.push(content)
    return answerWith('')
  })
  await expect.poll(() => asked, { timeout: 30_000 }).toEqual([note, study])
  await boards.follow()
  expect(asked).toEqual([note, study, note, study])
  await boards.run()
  expect(asked.slice(4)).toEqual([note, test, study])
})

it('shows a note without waiting for the parts before it', async () => {
  const boards = await openBoard([study, note], (content) =>
    content.kind === 'text' ? answerWith('A note') : new Promise<BoardAnswer>(() => {}),
  )
  await expect.poll(() => boards.answers.get(contentKey(note))?.answer?.title, { timeout: 30_000 }).toBe('A note')
})

it('tries again, when one returns to a board, what could not be computed before', async () => {
  let isHere = false
  const boards = await openBoard([study], () => {
    if (!isHere) throw new Error('not here yet')
    return answerWith('here')
  })
  const shown = () => boards.answers.get(contentKey(study))
  await expect.poll(() => shown()?.error?.code, { timeout: 30_000 }).toBeDefined()
  isHere = true
  boards.retryFailed()
  await expect.poll(() => shown()?.answer?.title, { timeout: 30_000 }).toBe('here')
})

it('computes a part that is added meanwhile after the others, without beginning one anew', async () => {
  const asked: unknown[] = []
  const finishers: (() => void)[] = []
  const boards = await openBoard([study], (content) => {
    asked.push(content)
    return new Promise((resolve) => finishers.push(() => resolve(answerWith(''))))
  })
  await expect.poll(() => asked, { timeout: 30_000 }).toEqual([study])
  boards.edit((parts) => [...parts, ...partsOf([study, note, test]).slice(1)])
  expect(boards.remainingCount).toBe(2)
  finishers[0]!()
  await expect.poll(() => asked, { timeout: 30_000 }).toEqual([study, note])
  finishers[1]!()
  await expect.poll(() => boards.remainingCount, { timeout: 30_000 }).toBe(0)
  expect(asked).toEqual([study, note])
})

it('draws a chart with a logarithmic scale on such a scale, without the values that have no place on it', () => {
  const series = [
    { label: 'a', numberKind: 'figure' as const, x: Float64Array.of(1, 2, 3), values: Float64Array.of(10, 0, -1) },
  ]
  const chart = { kind: 'chart' as const, title: 'Price', style: 'line' as const, names: null, series }
  expect(chartFigure({ ...chart, isLog: true })).toMatchObject({
    isLog: true,
    marks: [{ y: Float64Array.of(10, NaN, NaN) }],
  })
  expect(chartFigure(chart)).toMatchObject({ isLog: false, marks: [{ y: Float64Array.of(10, 0, -1) }] })
})

it('draws the bars of several series over the same names beside each other', () => {
  const bar = (label: string) => ({
    label,
    numberKind: 'figure' as const,
    x: Float64Array.of(0),
    values: Float64Array.of(1),
  })
  const chart = { kind: 'chart' as const, title: 'Cost', style: 'bars' as const, names: ['00:00'] }
  const leftEnds: number[] = []
  const sink = { moveTo() {}, lineTo() {}, rect: (x: number) => void leftEnds.push(x) }
  const paint = (labels: string[]) => {
    leftEnds.length = 0
    const colours = { canvas: 'canvas', textFaint: 'soft', line: 'line', lineStrong: 'line', series: ['blue', 'red'] }
    const figure = { ...chartFigure({ ...chart, series: labels.map(bar) }), baseline: null }
    paintFigure(figure, { widthPx: 400, heightPx: 140 }, colours as unknown as ChartColours, {
      fill: (colour, draw) => (colour.startsWith('line') ? undefined : draw(sink)),
      stroke: () => {},
      text: () => {},
    })
    return [...leftEnds]
  }
  const [alone] = paint(['Calibrated'])
  const [first, second] = paint(['Calibrated', 'Later'])
  expect(first).toBeCloseTo(alone)
  expect(second).toBeGreaterThan(first + 50)
})

it('draws the intervals of bars, as the answer of a study does', () => {
  const bars = { label: 'Mean', numberKind: 'share' as const, x: Float64Array.of(0, 1), values: Float64Array.of(1, 2) }
  const interval = { low: Float64Array.of(-3, NaN), high: Float64Array.of(5, NaN) }
  const head = { kind: 'chart' as const, title: 'Mean return by bucket', style: 'bars' as const, names: ['1', '2'] }
  const chart = { ...head, series: [{ ...bars, interval }] }
  expect(chartFigure(chart).marks.map(({ kind }) => kind)).toEqual(['bars', 'intervals'])
  const strokes = (drawn: string) => drawn.match(/<path d="([^"]*)" fill="none" stroke=/)?.[1] ?? ''
  // One whisker with two ends, within the drawing although it is longer than the bars.
  const whisker = /^M(\S+) (\S+)V(\S+)M\S+ \2h6M\S+ \3h6$/.exec(strokes(chartHtml(chart)))
  expect(whisker).not.toBeNull()
  for (const y of whisker!.slice(2)) expect(Number(y)).toSatisfy((at: number) => at > 10 && at < 206)
  expect(strokes(chartHtml({ ...chart, series: [bars] }))).toBe('')
})

it('keeps the candles of a chart, with all four prices in its readout and its table', () => {
  const x = Float64Array.of(0, 60_000)
  const candles = {
    x,
    open: Float64Array.of(10, 11),
    high: Float64Array.of(14, 12),
    low: Float64Array.of(9, 8),
    close: Float64Array.of(11, 10),
    widthMs: 60_000,
  }
  const series = [{ label: 'BTC close', numberKind: 'figure' as const, x, values: candles.close, candles }]
  const figure = chartFigure({ kind: 'chart', title: 'Price', style: 'line', names: null, series })
  expect(valuesAt(figure, 60_000)).toEqual([{ label: 'BTC close', text: 'O 11.00 H 12.00 L 8.00 C 10.00' }])
  expect(figureFrame(figure).columns.map(({ name }) => name)).toEqual(['time', ...candleNames])
  const painted: string[] = []
  const pen = (colour: string) => ({ moveTo() {}, lineTo() {}, rect: () => void painted.push(colour) })
  const colours = { canvas: 'canvas', positive: 'rising', negative: 'falling', textFaint: 'wick', series: ['line'] }
  paintFigure(figure, { widthPx: 400, heightPx: 140 }, colours as unknown as ChartColours, {
    fill: (colour, draw) => draw(pen(colour)),
    stroke: ({ colour }, draw) => draw(pen(colour)),
    text: () => {},
  })
  expect(painted.filter((colour) => colour !== undefined)).toEqual(['canvas', 'rising', 'falling'])
})

it('names the only series of a chart and its unit, because the chart has no legend', () => {
  const series = [{ label: 'BTC close', unit: 'price', numberKind: 'figure' as const, values: new Float64Array(0) }]
  const x = new Float64Array(0)
  const chart = { kind: 'chart' as const, style: 'line' as const, names: null }
  const caption = (title: string, labels: typeof series) =>
    chartCaption({ ...chart, title, series: labels.map((one) => ({ ...one, x })) })
  expect(caption('Pane 1', series)).toBe('Pane 1 · BTC close (price)')
  expect(caption('BTC close', series)).toBe('BTC close (price)')
  expect(caption('Distribution of BTC close, price', series)).toBe('Distribution of BTC close, price')
  expect(caption('Pane 1', [...series, ...series])).toBe('Pane 1')
})

it('shows a followed document as it is now, when the board opens and when the document changes, and no step to undo', async () => {
  setActivePinia(createPinia())
  const host = fakeWindowHost()
  useHost().provide(host)
  const queryOf = (sql: string): BoardContent => ({ kind: 'sql', name: 'Q', sql, parameters: {} })
  const source = { kind: 'query', id: 'q' } as const
  const [followed, frozen] = partsOf([queryOf('SELECT 1'), queryOf('SELECT 1')])
  const document = { version: 1 as const, parts: [{ ...followed, source }, frozen] }
  let sql = 'SELECT 2'
  const saved: unknown[] = []
  host.answer('documents.list', () => [{ id: 'b', name: 'Board', changedAt: 0, parts: 2 }])
  host.answer('documents.read', () => ({ id: 'b', name: 'Board', document, revision: 1 }))
  host.answer('documents.save', ({ document: written }) => (saved.push(written), { revision: 2 }) as never)
  host.answer('boards.answer', () => answerWith(''))
  host.answer('boards.followed', ({ document: { parts, ...board } }) => {
    const now = parts.map((part) => (part.source ? { ...part, content: queryOf(sql) } : part))
    return { ...board, parts: now } as never
  })
  const boards = useBoards()
  await boards.start()
  await boards.open('b')
  const shown = () => boards.document!.parts.map(({ content }) => content.kind === 'sql' && content.sql)
  await expect.poll(shown).toEqual(['SELECT 2', 'SELECT 1'])
  sql = 'SELECT 3'
  host.emit('documents.changed', { kind: 'query' })
  await expect.poll(shown).toEqual(['SELECT 3', 'SELECT 1'])
  expect(boards.canUndo).toBe(false)
  // Another window that shows the board does the same, so that neither saves it.
  expect([boards.isSaved, saved]).toEqual([true, []])
  boards.edit((parts) => parts.slice(0, 1))
  sql = 'SELECT 4'
  boards.undo()
  await expect.poll(shown).toEqual(['SELECT 4', 'SELECT 1'])
})
