import { chromium } from 'playwright-core'
import { readFileSync } from 'node:fs'
const [, , theme, w, h, ...names] = process.argv
const ids = Object.fromEntries(
  readFileSync('/tmp/along-shots/ids', 'utf8')
    .trim()
    .split('\n')
    .map((l) => l.split(' ')),
)
const url = readFileSync('/tmp/along-shots/serve.log', 'utf8').match(/http\S+/)[0]
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: +w, height: +h }, colorScheme: theme })
page.on('console', (m) => {
  if (m.type() === 'error') console.log('console:', m.text())
})
page.on('pageerror', (e) => console.log('pageerror:', e.message))
await page.goto(url)
await page.waitForTimeout(3000)
for (const name of names) {
  const board = name.startsWith('board')
  await page.evaluate(
    (a) => {
      location.hash = a
    },
    `#/${board ? 'boards' : 'lab'}/${ids[name]}`,
  )
  await page.waitForTimeout(2500)
  if (!board) {
    const run = page.getByRole('button', { name: 'Run', exact: true })
    if ((await run.count()) && (await run.first().isEnabled()))
      await run
        .first()
        .click()
        .catch((e) => console.log(String(e).split('\n')[0]))
  }
  await page.waitForTimeout(board ? 12000 : 6000)
  await page.screenshot({ path: `/tmp/along-shots/${name}-${theme}-${w}.png` })
  console.log(
    name,
    (
      await page
        .locator('.answer')
        .innerText()
        .catch(() => '')
    ).length,
  )
}
await browser.close()
