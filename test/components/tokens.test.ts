import { describe, expect, it } from 'vitest'
import { SERIES_COLOURS } from '#shared/workspace/chartStyle.ts'
import { customProperties, tokens, type ThemeName, type Tokens } from '../../renderer/theme/tokens.ts'
import { reportColours } from '#shared/report/chartHtml.ts'
import { MOST_COMPARED } from '../../renderer/widgets/seriesLinks.ts'

type Rgb = [number, number, number]

const rgb = (hex: string): Rgb => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255) as Rgb
const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const luminance = ([red, green, blue]: Rgb) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

/** Computes the contrast ratio of two colours by WCAG 2.2. */
function contrast(one: string, other: string): number {
  const [dark, bright] = [luminance(rgb(one)), luminance(rgb(other))].sort((a, b) => a - b)
  return (bright + 0.05) / (dark + 0.05)
}

/**
 * Functions that turn linear light into the light seen by people who lack one kind of cone: red and green by Viénot,
 * Brettel and Mollon (1999), blue by Machado, Oliveira and Fernandes (2009).
 */
const seenBy: Record<string, (colour: Rgb) => Rgb> = {
  everyone: (colour) => colour,
  protanopes: ([r, g, b]) => [0.11238 * r + 0.88762 * g, 0.11238 * r + 0.88762 * g, 0.00401 * (r - g) + b],
  deuteranopes: ([r, g, b]) => [0.29275 * r + 0.70725 * g, 0.29275 * r + 0.70725 * g, -0.02234 * r + 0.02234 * g + b],
  tritanopes: ([r, g, b]) =>
    [
      1.255528 * r - 0.076749 * g - 0.178779 * b,
      -0.078411 * r + 0.930809 * g + 0.147602 * b,
      0.004733 * r + 0.691367 * g + 0.3039 * b,
    ].map((value) => Math.min(1, Math.max(0, value))) as Rgb,
}

/** Converts linear light to CIE L*a*b*, in which distances match perceived differences. */
function lab([r, g, b]: Rgb): Rgb {
  const f = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116)
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505)
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b)
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

/** Checks that people can tell these colours from each other. */
function expectApart(people: string, series: readonly string[], least = 18): void {
  const seen = series.map((colour) => lab(seenBy[people](rgb(colour).map(linear) as Rgb)))
  for (const [at, one] of seen.entries()) {
    for (const [offset, other] of seen.slice(at + 1).entries()) {
      const distance = Math.hypot(...one.map((value, axis) => value - other[axis]))
      const pair = `${series[at]} and ${series[at + 1 + offset]} for ${people}`
      expect(distance, pair).toBeGreaterThan(least)
    }
  }
}

const surfaces = ['canvas', 'chrome', 'raised', 'hover'] as const satisfies (keyof Tokens)[]
const texts = ['text', 'textSoft', 'textFaint'] as const satisfies (keyof Tokens)[]
const themes: ThemeName[] = ['dark', 'light']

describe.each(themes)('the %s theme', (name) => {
  const theme = tokens[name]

  it.each(surfaces.flatMap((surface) => texts.map((text) => [text, surface] as const)))(
    'lets %s be read on %s',
    (text, surface) => expect(contrast(theme[text], theme[surface])).toBeGreaterThanOrEqual(4.5),
  )

  it.each([
    ['text', 'accentSoft'],
    ['textSoft', 'accentSoft'],
    ['accentText', 'accent'],
    ['accentText', 'accentHover'],
    ['accent', 'canvas'],
    ['accent', 'chrome'],
    ['positive', 'canvas'],
    ['positive', 'raised'],
    ['negative', 'canvas'],
    ['negative', 'raised'],
    ['negative', 'chrome'],
    ['text', 'negativeSoft'],
    ['textSoft', 'negativeSoft'],
    ['warning', 'chrome'],
    ['warning', 'warningSoft'],
    ['textSoft', 'warningSoft'],
  ] as const)('lets %s be read on %s', (text, surface) =>
    expect(contrast(theme[text], theme[surface])).toBeGreaterThanOrEqual(4.5),
  )

  it.each(surfaces.slice(0, 3))('shows borders of controls and the ring of the focus on %s', (surface) => {
    expect(contrast(theme.lineControl, theme[surface])).toBeGreaterThanOrEqual(3)
    expect(contrast(theme.focus, theme[surface])).toBeGreaterThanOrEqual(3)
  })

  it('shows every series on the canvas', () => {
    for (const colour of theme.series) expect(contrast(colour, theme.canvas), colour).toBeGreaterThanOrEqual(3)
  })

  it.each(Object.keys(seenBy))('has series that %s can tell apart', (people) => expectApart(people, theme.series))

  it.each(Object.keys(seenBy))('has colours of up and down that %s can tell apart', (people) =>
    expectApart(people, [theme.positive, theme.negative], 25),
  )

  it('has as many series as are compared', () => {
    expect(theme.series).toHaveLength(MOST_COMPARED)
    expect(theme.series).toHaveLength(SERIES_COLOURS)
  })
})

describe('the colours of reports', () => {
  it.each(Object.keys(seenBy))('has series that %s can tell apart', (people) => expectApart(people, reportColours))

  it('has as many series as are compared', () => expect(reportColours).toHaveLength(MOST_COMPARED))

  it('shows every series on white', () => {
    for (const colour of reportColours) expect(contrast(colour, '#ffffff'), colour).toBeGreaterThanOrEqual(3)
  })
})

it('names the same custom properties in both themes', () => {
  const names = themes.map((name) => customProperties(tokens[name]).map(([property]) => property))
  expect(names[0]).toEqual(names[1])
  expect(names[0]).toEqual(expect.arrayContaining(['--text-soft', '--line-control', '--series-12']))
})
