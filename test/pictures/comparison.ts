import pixelmatch from 'pixelmatch'
import UPNG from 'upng-js'

/** Pixels of a picture, four bytes each (RGBA). */
export interface Picture {
  width: number
  height: number
  rgba: Uint8Array
}

export interface Difference {
  /** Number of pixels that differ by more than a threshold; 0 if the pictures count as equal. */
  pixels: number
  /** Smallest box around the differing pixels, in pixels from the top left; null if none differ. */
  box: { left: number; top: number; right: number; bottom: number } | null
  /** Reference in pale colours, with differing pixels in red. */
  marked: Picture
  isChanged: boolean
}

const PALETTE_COLOURS = 256

/**
 * Limits on a difference: a change counts if more than `allowedPixels` pixels differ by more than `threshold`, a share
 * of the largest distance between colours. The palettes of the references alone make up to 12 pixels exceed the first
 * threshold and 490 the second; a single changed letter makes 30 exceed the first, a tinted row thousands the second.
 */
const tolerances = [
  { threshold: 0.1, allowedPixels: 20 },
  { threshold: 0.03, allowedPixels: 1000 },
] as const

const exactBuffer = (bytes: Uint8Array): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer

export function readPng(bytes: Uint8Array): Picture {
  const image = UPNG.decode(exactBuffer(bytes))
  return { width: image.width, height: image.height, rgba: new Uint8Array(UPNG.toRGBA8(image)[0]) }
}

/** Encodes a PNG with a palette of 256 colours, which takes half of the bytes of one with all colours. */
export const writePalettePng = ({ width, height, rgba }: Picture): Uint8Array =>
  new Uint8Array(UPNG.encode([exactBuffer(rgba)], width, height, PALETTE_COLOURS))

const blankPicture = (width: number, height: number): Picture => ({
  width,
  height,
  rgba: new Uint8Array(width * height * 4),
})

function draw(onto: Picture, picture: Picture, left: number): void {
  for (let row = 0; row < picture.height; row += 1) {
    const from = row * picture.width * 4
    onto.rgba.set(picture.rgba.subarray(from, from + picture.width * 4), (row * onto.width + left) * 4)
  }
}

/** Returns the picture with empty space to the right and below. */
function enlarge(picture: Picture, width: number, height: number): Picture {
  if (picture.width === width && picture.height === height) return picture
  const larger = blankPicture(width, height)
  draw(larger, picture, 0)
  return larger
}

const isRed = (rgba: Uint8Array, at: number) => rgba[at] === 255 && rgba[at + 1] === 0 && rgba[at + 2] === 0

function boxOf({ width, height, rgba }: Picture): Difference['box'] {
  const box = { left: width, top: height, right: -1, bottom: -1 }
  for (let at = 0; at < rgba.length; at += 4) {
    if (!isRed(rgba, at)) continue
    const x = (at / 4) % width
    const y = Math.floor(at / 4 / width)
    box.left = Math.min(box.left, x)
    box.right = Math.max(box.right, x)
    box.top = Math.min(box.top, y)
    box.bottom = Math.max(box.bottom, y)
  }
  return box.right === -1 ? null : box
}

/**
 * Compares two pictures by the distance of their colours in YIQ. Smoothed edges count too, because the same renderer
 * draws both pictures.
 */
export function compare(reference: Picture, actual: Picture): Difference {
  const width = Math.max(reference.width, actual.width)
  const height = Math.max(reference.height, actual.height)
  const [before, now] = [enlarge(reference, width, height), enlarge(actual, width, height)]
  const marked = blankPicture(width, height)
  const isOtherSize = reference.width !== actual.width || reference.height !== actual.height
  for (const { threshold, allowedPixels } of tolerances) {
    const options = { threshold, includeAA: true, alpha: 0.25 }
    const pixels = pixelmatch(before.rgba, now.rgba, marked.rgba, width, height, options)
    if (pixels > allowedPixels || isOtherSize) return { isChanged: true, pixels, box: boxOf(marked), marked }
  }
  return { isChanged: false, pixels: 0, box: null, marked }
}

const GAP_PX = 16

/**
 * Draws pictures (the reference, the actual picture and the marked difference) into one picture, from left to right.
 */
export function sideBySide(pictures: readonly Picture[]): Picture {
  const width = pictures.reduce((sum, picture) => sum + picture.width + GAP_PX, -GAP_PX)
  const all = blankPicture(width, Math.max(...pictures.map(({ height }) => height)))
  let left = 0
  for (const picture of pictures) {
    draw(all, picture, left)
    left += picture.width + GAP_PX
  }
  return all
}
