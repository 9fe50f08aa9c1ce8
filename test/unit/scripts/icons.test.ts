import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { icnsSizes, icoSizes, MAC_MARGIN, pixelsOf, pngSizes } from '../../../scripts/icons.mjs'
import { decodeIcns, decodeIco, decodePng } from '../../../scripts/icons/formats.mjs'
import { readMark } from '../../../scripts/icons/mark.mjs'

const folder = fileURLToPath(new URL('../../../resources/icons', import.meta.url))
const read = (name: string) => readFileSync(join(folder, name))

/** Whether the picture is what the mark in the window looks like now. */
function expectDrawn(png: Buffer, sizePx: number, margin = 0) {
  const decoded = decodePng(png)
  expect(decoded.sizePx).toBe(sizePx)
  expect(Buffer.compare(decoded.pixels, pixelsOf(sizePx, margin)), 'run “npm run icons”').toBe(0)
}

it.each(pngSizes.filter((sizePx) => sizePx <= 256))('has the mark of the window at %i pixels', (sizePx) => {
  expectDrawn(read(`${sizePx}x${sizePx}.png`), sizePx)
})

it('has every size, each decoding to its own', () => {
  expect(readdirSync(folder).sort()).toEqual(
    [...pngSizes.map((size) => `${size}x${size}.png`), 'icon.icns', 'icon.ico'].sort(),
  )
  expect(pngSizes.map((size) => decodePng(read(`${size}x${size}.png`)).sizePx)).toEqual(pngSizes)
})

it('has an icon for Windows and one for macOS with all sizes in them', () => {
  const ico = decodeIco(read('icon.ico'))
  expect(ico.map(({ sizePx }) => sizePx)).toEqual(icoSizes)
  for (const { sizePx, png } of ico) expectDrawn(png, sizePx)
  const icns = decodeIcns(read('icon.icns'))
  expect(icns.map(({ sizePx }) => sizePx)).toEqual(icnsSizes)
  for (const { sizePx, png } of icns.filter((each) => each.sizePx <= 128)) expectDrawn(png, sizePx, MAC_MARGIN)
})

it('shows a mark on a tile: clear corners, the tile’s colour at the edge, ink in the middle ring', () => {
  const pixels = pixelsOf(128)
  const at = (x: number, y: number) => [...pixels.subarray((y * 128 + x) * 4, (y * 128 + x) * 4 + 4)]
  expect(at(0, 0)[3]).toBe(0)
  expect(at(64, 4)).toEqual([0x11, 0x14, 0x16, 255])
  const inked = pixels.filter((value, index) => index % 4 === 1 && value > 0x90).length
  expect(inked).toBeGreaterThan(800)
})

it('says where the mark uses what the icons cannot draw', () => {
  expect(readMark()).toHaveLength(3)
  expect(() => readMark('<path d="M0 0c1 1 2 2 3 3" stroke-width="1" />')).toThrow('“c”')
})
