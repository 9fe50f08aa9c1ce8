import { chromium } from 'playwright-core'
import { readFileSync } from 'node:fs'
const url = JSON.parse(readFileSync('/tmp/w4/serve.log','utf8').split('\n')[0]).url
export async function open(path = '', { w = 1280, h = 800, scheme = 'dark' } = {}) {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu'] })
  const page = await (await browser.newContext({ viewport: { width: w, height: h }, colorScheme: scheme })).newPage()
  page.on('pageerror', (e) => console.log('ERR', e.message))
  await page.goto(url)
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  if (path) { await page.evaluate((to) => void (location.hash = `#/${to}`), path); await page.waitForTimeout(2500) }
  return { page, browser, shot: (n) => page.screenshot({ path: `/tmp/w4/${n}.png` }) }
}
