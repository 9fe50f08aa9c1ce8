import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { icnsTypes, icoSizes, MAC_MARGIN, pngSizes, renderIcon } from '../../../scripts/icons.mjs'

const folder = fileURLToPath(new URL('../../../resources/icons', import.meta.url))
const read = (name: string) => readFileSync(join(folder, name))
const icnsSizes = Object.keys(icnsTypes).map(Number)

/** Reads the pictures of a Windows icon file. */
function readIco(file: Buffer) {
  expect([file.readUInt16LE(0), file.readUInt16LE(2)]).toEqual([0, 1])
  return Array.from({ length: file.readUInt16LE(4) }, (_, index) => {
    const entry = 6 + 16 * index
    const offset = file.readUInt32LE(entry + 12)
    // The format writes 0 for a size of 256, which does not fit into one byte.
    return { sizePx: file[entry] || 256, png: file.subarray(offset, offset + file.readUInt32LE(entry + 8)) }
  })
}

/** Reads the pictures of a macOS icon file. */
function readIcns(file: Buffer) {
  expect([file.toString('latin1', 0, 4), file.readUInt32BE(4)]).toEqual(['icns', file.length])
  const images = []
  for (let start = 8; start < file.length; start += file.readUInt32BE(start + 4)) {
    const type = file.toString('latin1', start, start + 4)
    const sizePx = icnsSizes.find((size) => icnsTypes[size as keyof typeof icnsTypes] === type)
    images.push({ sizePx, png: file.subarray(start + 8, start + file.readUInt32BE(start + 4)) })
  }
  return images
}

/** Returns the width of a PNG file, which its first chunk contains. */
const widthOf = (png: Buffer) => png.readUInt32BE(16)

/**
 * Compares a stored picture with the picture that the window's mark gives now; the renderer draws the same bytes
 * everywhere.
 */
function expectDrawn(png: Buffer, sizePx: number, margin = 0) {
  expect(widthOf(png)).toBe(sizePx)
  expect(Buffer.compare(png, renderIcon(sizePx, margin).asPng()), 'run “npm run icons”').toBe(0)
}

it.each(pngSizes.filter((sizePx) => sizePx <= 256))('has the mark of the window at %i pixels', (sizePx) => {
  expectDrawn(read(`${sizePx}x${sizePx}.png`), sizePx)
})

it('has every size, each decoding to its own', () => {
  expect(readdirSync(folder).sort()).toEqual(
    [...pngSizes.map((size) => `${size}x${size}.png`), 'icon.icns', 'icon.ico'].sort(),
  )
  expect(pngSizes.map((size) => widthOf(read(`${size}x${size}.png`)))).toEqual(pngSizes)
})

it('has an icon for Windows and one for macOS with all sizes in them', () => {
  const ico = readIco(read('icon.ico'))
  expect(ico.map(({ sizePx }) => sizePx)).toEqual(icoSizes)
  for (const { sizePx, png } of ico) expectDrawn(png, sizePx)
  const icns = readIcns(read('icon.icns'))
  expect(icns.map(({ sizePx }) => sizePx)).toEqual(icnsSizes)
  for (const { sizePx, png } of icns) if (sizePx && sizePx <= 128) expectDrawn(png, sizePx, MAC_MARGIN)
})

it('shows a mark on a tile: clear corners, the tile’s colour at the edge, ink in the middle ring', () => {
  const { pixels } = renderIcon(128)
  const at = (x: number, y: number) => [...pixels.subarray((y * 128 + x) * 4, (y * 128 + x) * 4 + 4)]
  expect(at(0, 0)[3]).toBe(0)
  expect(at(64, 4)).toEqual([0x11, 0x14, 0x16, 255])
  const inked = pixels.filter((value, index) => index % 4 === 1 && value > 0x90).length
  expect(inked).toBeGreaterThan(800)
})

it('draws whatever the mark is made of, curves and fills included', () => {
  const { pixels } = renderIcon(64, 0, '<path d="M4 12c4 -12 12 -12 16 0" stroke-width="3" fill="#fff" />')
  const white = pixels.filter((value, index) => index % 4 === 0 && value === 255).length
  expect(white).toBeGreaterThan(100)
})
