/** The app's mark as shapes, read from the component that shows it in the window, so that there is one drawing. */
import { readFileSync } from 'node:fs'
import { at } from '../project.mjs'

/** Side of the square the mark is drawn in. */
export const MARK_SIZE = 24

/**
 * @typedef {{ x1: number, y1: number, x2: number, y2: number }} Line
 * @typedef {{ widthUnits: number, lines: Line[], circle: { x: number, y: number, r: number } | null }} Stroke
 */

/** @returns {Stroke[]} */
export function readMark(source = readFileSync(at('renderer', 'components', 'PerpscopeMark.vue'), 'utf8')) {
  return [...source.matchAll(/<(circle|path)\b([^>]*)\/>/g)].map(([, shape, text]) => {
    const attributes = Object.fromEntries(
      [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    )
    const number = (name) => Number(attributes[name])
    const widthUnits = number('stroke-width')
    if (shape === 'path') return { widthUnits, lines: linesOf(attributes.d), circle: null }
    return { widthUnits, lines: [], circle: { x: number('cx'), y: number('cy'), r: number('r') } }
  })
}

/** Straight lines only: `M`, `l`, `h` and `v` are all that the mark needs. */
function linesOf(path) {
  const lines = []
  let [x, y] = [0, 0]
  for (const [, command, text] of path.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
    const values = [...text.matchAll(/-?(?:\d+\.?\d*|\.\d+)/g)].map(Number)
    for (const [dx, dy] of stepsOf(command, values)) {
      if (command === 'M') [x, y] = [dx, dy]
      else {
        lines.push({ x1: x, y1: y, x2: x + dx, y2: y + dy })
        ;[x, y] = [x + dx, y + dy]
      }
    }
  }
  return lines
}

function stepsOf(command, values) {
  if (command === 'h') return values.map((dx) => [dx, 0])
  if (command === 'v') return values.map((dy) => [0, dy])
  if (command !== 'M' && command !== 'l') throw new Error(`The mark uses “${command}”, which the icons cannot draw.`)
  return values.flatMap((value, index) => (index % 2 === 0 ? [[value, values[index + 1]]] : []))
}
