import { expect, test } from 'vitest'
import { placedFlags } from '#shared/overview/flags.ts'

const LETTER_PX = 6
const GAP_PX = 6
const plot = { x: (timeMs: number) => timeMs, fromPx: 0, toPx: 1000, letterPx: LETTER_PX }
const flags = (...events: [number, string][]) => ({
  times: Float64Array.from(events, ([time]) => time),
  texts: events.map(([, text]) => text),
})

/** Pixels that the texts take, by text. */
const extents = (placed: ReturnType<typeof placedFlags>) =>
  placed
    .filter(({ text }) => text !== '')
    .map(({ x, text, align }) => {
      const widthPx = text.length * LETTER_PX + GAP_PX
      return align === 'left' ? { text, from: x, to: x + widthPx } : { text, from: x - widthPx, to: x }
    })
    .sort((a, b) => a.from - b.from)

test('the text of a flag near the right edge stands left of its line', () => {
  const placed = placedFlags([flags([100, 'upgrade'], [990, 'maintenance'])], plot)
  expect(placed.map(({ text, align }) => [text, align])).toEqual([
    ['upgrade', 'left'],
    ['maintenance', 'right'],
  ])
})

test('a text ends at the next flag, in full only if it has room', () => {
  const placed = placedFlags([flags([100, 'exchange outage'], [160, 'listing'], [400, 'delisting'])], plot)
  expect(extents(placed).map(({ text }) => text)).toEqual(['exchange…', 'listing', 'delisting'])
})

test('a long text is written as far as there is room', () => {
  const long = 'Maintenance window of the exchange extended'
  const texts = (...times: number[]) =>
    extents(placedFlags([flags(...times.map((time): [number, string] => [time, long]))], plot)).map(({ text }) => text)
  expect(texts(100)).toEqual(['Maintenance window of the exchange exte…'])
  expect(texts(100, 900)).toEqual(['Maintenance window of the exchange exte…', 'Maintenance windo…'])
})

test('a text covers flags that are too near, which are drawn before it', () => {
  const placed = placedFlags([flags([100, 'exchange outage'], [110, 'second'], [112, 'third'])], plot)
  expect(placed.map(({ title, text }) => [title, text])).toEqual([
    ['second', ''],
    ['third', ''],
    ['exchange outage', 'exchange outage'],
  ])
})

test('texts of several series never overlap and stay in the plot', () => {
  const first = flags(...Array.from({ length: 40 }, (_, at): [number, string] => [at * 25.6, `event number ${at}`]))
  const second = flags(...Array.from({ length: 9 }, (_, at): [number, string] => [at * 111 + 13, `other ${at}`]))
  const placed = placedFlags([first, second], plot)
  expect(placed.length).toBe(49)
  expect(new Set(placed.map(({ of }) => of))).toEqual(new Set([first, second]))
  const drawn = extents(placed)
  expect(drawn.length).toBeGreaterThan(8)
  for (const [at, { from, to }] of drawn.entries()) {
    expect(from).toBeGreaterThanOrEqual(at === 0 ? 0 : drawn[at - 1].to)
    expect(to).toBeLessThanOrEqual(plot.toPx)
  }
})
