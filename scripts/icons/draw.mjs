/** Draws an icon: the mark on a rounded tile, by the distance of each pixel from the shapes. */
import { MARK_SIZE } from './mark.mjs'

/** Below this side, lines are drawn heavier and the mark larger, or nothing of it would be seen. */
const SMALL_PX = 32

/**
 * @param {{ sizePx: number, margin: number, strokes: import('./mark.mjs').Stroke[], tile: string, ink: string }} options
 *   `margin`: the part of the side that stays empty on each side; colours as `#rrggbb`
 * @returns {Uint8Array} RGBA
 */
export function drawIcon({ sizePx, margin, strokes, tile, ink }) {
  const small = sizePx <= SMALL_PX
  const tilePx = sizePx * (1 - 2 * margin)
  const scale = (tilePx * (small ? 0.84 : 0.7)) / MARK_SIZE
  const shapes = strokes.map((stroke) => ({ ...stroke, halfPx: (stroke.widthUnits * scale * (small ? 1.35 : 1)) / 2 }))
  const [ground, line] = [rgbOf(tile), rgbOf(ink)]
  const pixels = new Uint8Array(sizePx * sizePx * 4)
  for (let row = 0; row < sizePx; row++) {
    for (let column = 0; column < sizePx; column++) {
      const [x, y] = [column + 0.5 - sizePx / 2, row + 0.5 - sizePx / 2]
      const inTile = coverage(tileDistance(x, y, tilePx))
      if (inTile === 0) continue
      const inMark = coverage(markDistance(x / scale + MARK_SIZE / 2, y / scale + MARK_SIZE / 2, shapes, scale))
      const at = (row * sizePx + column) * 4
      for (let part = 0; part < 3; part++)
        pixels[at + part] = Math.round(ground[part] + (line[part] - ground[part]) * inMark)
      pixels[at + 3] = Math.round(255 * inTile)
    }
  }
  return pixels
}

const rgbOf = (colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

/** Returns the share of a pixel that is inside, by the distance of its middle from the edge. */
const coverage = (distancePx) => Math.min(1, Math.max(0, 0.5 - distancePx))

function tileDistance(x, y, sidePx) {
  const radius = sidePx * 0.22
  const reach = sidePx / 2 - radius
  const [dx, dy] = [Math.abs(x) - reach, Math.abs(y) - reach]
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius
}

function markDistance(x, y, shapes, scale) {
  let nearest = Infinity
  for (const { lines, circle, halfPx } of shapes) {
    const toCircle = circle ? Math.abs(Math.hypot(x - circle.x, y - circle.y) - circle.r) : Infinity
    const distance = lines.reduce((least, line) => Math.min(least, lineDistance(x, y, line)), toCircle)
    nearest = Math.min(nearest, distance * scale - halfPx)
  }
  return nearest
}

function lineDistance(x, y, { x1, y1, x2, y2 }) {
  const [dx, dy] = [x2 - x1, y2 - y1]
  const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)))
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy)
}
