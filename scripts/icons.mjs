#!/usr/bin/env node
/** Draws the app's icons from the logo and the theme colours into resources/icons. Run it after you change either. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { IconIcns, IconIco } from '@shockpkg/icon-encoder'
import { tokens } from '../renderer/theme/tokens.ts'
import { at } from './project.mjs'

export const pngSizes = [16, 24, 32, 48, 64, 128, 256, 512, 1024]
export const icoSizes = [16, 24, 32, 48, 64, 128, 256]
/** Type codes of the images in an .icns file, by side in pixels. */
export const icnsTypes = { 16: 'icp4', 32: 'icp5', 64: 'icp6', 128: 'ic07', 256: 'ic08', 512: 'ic09', 1024: 'ic10' }
/** Margin around the tile of the macOS icon, as a fraction of the side; the other systems want no margin. */
export const MAC_MARGIN = 0.098

/**
 * Side of an icon in pixels up to which the logo fills more of the tile and has thicker lines, because thin ones would
 * blur.
 */
const SMALL_PX = 32
const MARK_UNITS = 24

await initWasm(readFileSync(createRequire(import.meta.url).resolve('@resvg/resvg-wasm/index_bg.wasm')))

/** Reads the shapes of the logo from the component that shows it in the window, so that there is only one drawing. */
function readMark() {
  const source = readFileSync(at('renderer', 'components', 'PerpscopeMark.vue'), 'utf8')
  const [, shapes] = /<svg\b[^>]*>([\s\S]*)<\/svg>/.exec(source) ?? []
  if (!shapes) throw new Error('PerpscopeMark.vue has no <svg> element to draw the icons from.')
  return shapes
}

/** Renders the logo on a rounded tile; `margin` is the empty fraction of the side at each edge. */
export function renderIcon(sizePx, margin = 0, mark = readMark()) {
  const { canvas: tile, accent: ink } = tokens.dark
  const isSmall = sizePx <= SMALL_PX
  const tilePx = sizePx * (1 - 2 * margin)
  const [edge, middle] = [sizePx * margin, sizePx / 2]
  const scale = (tilePx * (isSmall ? 0.84 : 0.7)) / MARK_UNITS
  const shapes = isSmall
    ? mark.replace(/stroke-width="([\d.]+)"/g, (_, width) => `stroke-width="${width * 1.35}"`)
    : mark
  return new Resvg(`
    <svg xmlns="http://www.w3.org/2000/svg" width="${sizePx}" height="${sizePx}" fill="none">
      <rect x="${edge}" y="${edge}" width="${tilePx}" height="${tilePx}" rx="${tilePx * 0.22}" fill="${tile}" />
      <g transform="translate(${middle} ${middle}) scale(${scale}) translate(${-MARK_UNITS / 2} ${-MARK_UNITS / 2})" stroke="${ink}">${shapes}</g>
    </svg>`).render()
}

const pngOf = (sizePx, margin) => Buffer.from(renderIcon(sizePx, margin).asPng())

async function writeIcons() {
  const folder = at('resources', 'icons')
  mkdirSync(folder, { recursive: true })
  for (const sizePx of pngSizes) writeFileSync(`${folder}/${sizePx}x${sizePx}.png`, pngOf(sizePx))
  // With these arguments both encoders embed the PNG bytes unchanged, rather than store bitmaps or compress them again.
  const ico = new IconIco()
  for (const sizePx of icoSizes) await ico.addFromPng(pngOf(sizePx), true, true)
  writeFileSync(`${folder}/icon.ico`, ico.encode())
  const icns = new IconIcns()
  for (const [sizePx, type] of Object.entries(icnsTypes)) {
    await icns.addFromPng(pngOf(Number(sizePx), MAC_MARGIN), [type], true)
  }
  writeFileSync(`${folder}/icon.icns`, icns.encode())
}

if (import.meta.main) await writeIcons()
