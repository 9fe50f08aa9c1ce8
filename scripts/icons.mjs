#!/usr/bin/env node
/** Draws the app's icons into resources/icons, from the mark and the colours of the window. Run it after changing either. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { tokens } from '../renderer/theme/tokens.ts'
import { drawIcon } from './icons/draw.mjs'
import { encodeIcns, encodeIco, encodePng } from './icons/formats.mjs'
import { readMark } from './icons/mark.mjs'
import { at } from './project.mjs'

export const pngSizes = [16, 24, 32, 48, 64, 128, 256, 512, 1024]
export const icoSizes = [16, 24, 32, 48, 64, 128, 256]
export const icnsSizes = [16, 32, 64, 128, 256, 512, 1024]
/** macOS leaves air around the tile; the others do not. */
export const MAC_MARGIN = 0.098

export function pixelsOf(sizePx, margin = 0) {
  const { canvas: tile, accent: ink } = tokens.dark
  return drawIcon({ sizePx, margin, strokes: readMark(), tile, ink })
}

const imageOf = (sizePx, margin) => ({ sizePx, png: encodePng(pixelsOf(sizePx, margin), sizePx) })

function writeIcons() {
  const folder = at('resources', 'icons')
  mkdirSync(folder, { recursive: true })
  for (const { sizePx, png } of pngSizes.map((size) => imageOf(size)))
    writeFileSync(`${folder}/${sizePx}x${sizePx}.png`, png)
  writeFileSync(`${folder}/icon.ico`, encodeIco(icoSizes.map((size) => imageOf(size))))
  writeFileSync(`${folder}/icon.icns`, encodeIcns(icnsSizes.map((size) => imageOf(size, MAC_MARGIN))))
}

if (import.meta.main) writeIcons()
