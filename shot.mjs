// usage: node shot.mjs URL OUT.png THEME(dark|light) W H 'step|step…'   steps: #/addr · click TEXT · css SELECTOR · key:K · type:TEXT · wait:MS · full
import { chromium } from 'playwright-core'
const [, , url, out, theme, w, h, steps = ''] = process.argv
if (!url) {
  console.log("node shot.mjs URL OUT.png dark|light W H '#/addr|click TEXT|css SELECTOR|key:K|type:TEXT|wait:MS|full'")
  process.exit()
}
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const page = await browser.newPage({ viewport: { width: +w, height: +h }, colorScheme: theme })
page.on('console', (m) => {
  if (m.type() === 'error') console.log('console:', m.text())
})
page.on('pageerror', (e) => console.log('pageerror:', e.message))
await page.goto(url)
await page.waitForTimeout(2500)
let full = false
for (const s of steps.split('|').filter(Boolean)) {
  try {
    if (s.startsWith('#')) {
      await page.evaluate((a) => {
        location.hash = a
      }, s.slice(1))
      await page.waitForTimeout(1500)
    } else if (s.startsWith('click '))
      await page.getByText(s.slice(6), { exact: false }).first().click({ timeout: 4000 })
    else if (s.startsWith('css ')) await page.locator(s.slice(4)).first().click({ timeout: 4000 })
    else if (s.startsWith('key:')) await page.keyboard.press(s.slice(4))
    else if (s.startsWith('type:')) await page.keyboard.type(s.slice(5))
    else if (s.startsWith('wait:')) await page.waitForTimeout(+s.slice(5))
    else if (s === 'full') full = true
    else console.log('unknown step', s)
    await page.waitForTimeout(500)
  } catch (e) {
    console.log('step failed:', s, String(e.message).split('\n')[0])
  }
}
await page.screenshot({ path: out, fullPage: full })
await browser.close()
