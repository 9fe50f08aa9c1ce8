/**
 * Draws computing times against sizes on logarithmic axes, where linear growth is a straight line parallel to the
 * dashed one.
 */

const WIDTH = 940
const HEIGHT = 560
const PLOT = { left: 70, top: 30, width: 520, height: 470 }
const COLOURS = [
  '#4c78a8',
  '#f58518',
  '#54a24b',
  '#e45756',
  '#72b7b2',
  '#b279a2',
  '#9d755d',
  '#79706e',
  '#d4a72c',
  '#2f4b7c',
  '#d45087',
  '#66a61e',
  '#7570b3',
  '#a6761d',
  '#1b9e77',
]
const SIZE_EXPONENTS = { from: 1, to: 8 }
const TIME_EXPONENTS = { from: -2, to: 5 }

/** @param {number} exponent */
export const powerOfTen = (exponent) =>
  `10${exponent < 0 ? '⁻' : ''}${[...String(Math.abs(exponent))].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('')}`

const shareOf = (value, { from, to }) => (value - from) / (to - from)
const x = (size) => PLOT.left + shareOf(Math.log10(size), SIZE_EXPONENTS) * PLOT.width
const y = (timeMs) => PLOT.top + (1 - shareOf(Math.log10(Math.max(timeMs, 0.01)), TIME_EXPONENTS)) * PLOT.height
const range = ({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const text = (left, top, content, anchor = 'start') =>
  `<text x="${left}" y="${top}" text-anchor="${anchor}">${content}</text>`
const line = (from, to, style) => `<line x1="${from[0]}" y1="${from[1]}" x2="${to[0]}" y2="${to[1]}" ${style}/>`

function grid() {
  const right = PLOT.left + PLOT.width
  const bottom = PLOT.top + PLOT.height
  const faintStyle = 'stroke="#888" stroke-opacity="0.25"'
  const sizeLines = range(SIZE_EXPONENTS).map((exponent) => {
    const left = x(10 ** exponent)
    return line([left, PLOT.top], [left, bottom], faintStyle) + text(left, bottom + 18, powerOfTen(exponent), 'middle')
  })
  const timeLines = range(TIME_EXPONENTS).map((exponent) => {
    const top = y(10 ** exponent)
    return line([PLOT.left, top], [right, top], faintStyle) + text(PLOT.left - 8, top + 4, powerOfTen(exponent), 'end')
  })
  const linearLine = line([x(10 ** 3), y(10 ** -1)], [x(10 ** 8), y(10 ** 4)], 'stroke="#888" stroke-dasharray="6 5"')
  return [...sizeLines, ...timeLines, linearLine]
}

/** @param {readonly { name: string, sizeUnit: string, sizes: readonly number[], timesMs: number[] }[]} results */
export function pictureOf(results) {
  const curves = results.map(({ name, sizeUnit, sizes, timesMs }, index) => {
    const colour = COLOURS[index % COLOURS.length]
    const points = sizes.map((size, at) => [x(size), y(timesMs[at])])
    const path = `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.map((point) => point.map((value) => value.toFixed(1)).join(',')).join(' ')}"/>`
    const dots = points.map(
      ([left, top]) => `<circle cx="${left.toFixed(1)}" cy="${top.toFixed(1)}" r="3" fill="${colour}"/>`,
    )
    const top = PLOT.top + 14 + index * 24
    const legendKey = line(
      [PLOT.left + PLOT.width + 24, top - 4],
      [PLOT.left + PLOT.width + 48, top - 4],
      `stroke="${colour}" stroke-width="2"`,
    )
    return [path, ...dots, legendKey, text(PLOT.left + PLOT.width + 56, top, `${name} (${sizeUnit})`)].join('')
  })
  const axes = [
    text(PLOT.left + PLOT.width / 2, HEIGHT - 14, 'size', 'middle'),
    text(12, PLOT.top - 12, 'ms of processor time'),
    text(PLOT.left + PLOT.width + 56, PLOT.top + 14 + results.length * 24, 'dashed: linear growth'),
  ]
  const body = [...grid(), ...curves, ...axes].join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#777">\n<rect width="100%" height="100%" fill="#fff"/>\n${body}\n</svg>\n`
}
