import { chromium, type Browser } from 'playwright-core'
import { findChromium } from '../../scripts/project.mjs'
import { NotHere } from './benchLine.ts'

const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking']

/** Opens this machine's browser, which every benchmark of a screen needs. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new NotHere('no Chromium is on this machine (PERPSCOPE_CHROMIUM may name one)')
  return chromium.launch({ executablePath, args })
}
