import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { axeFindings } from './axe.ts'
import { artifactsDir, openSandboxDesk, openShell, openWindow, rendererDir, useBrowser } from './harness.ts'

useBrowser()

const settingsSections = ['connections', 'appearance', 'time', 'downloads', 'cache', 'requests', 'about']
const addresses = [
  'workbench',
  'catalog',
  'coverage',
  'downloads',
  'lab',
  'portfolios',
  'raw',
  ...settingsSections.map((section) => `settings/${section}`),
  'nowhere',
]

/** Sizes in which a screen is shown, the one last in which the next screen opens. */
const viewports = [
  { width: 1920, height: 1080 },
  { width: 900, height: 700 },
  { width: 1280, height: 800 },
]

const heading = (page: Page) => page.getByRole('heading', { level: 1 }).first()
const go = async (page: Page, address: string) => {
  // An address that is set before the first screen appears is lost.
  await heading(page).waitFor()
  const isThere = await page.evaluate((to) => location.hash.startsWith(`#/${to}`), address)
  const title = await page.title()
  await page.evaluate((to) => (location.hash = `#/${to}`), address)
  // The previous screen stays until the code of the new screen is loaded.
  if (!isThere) await page.waitForFunction((before) => document.title !== before, title)
  await heading(page).waitFor()
}
const palette = (page: Page) => page.getByRole('combobox', { name: 'Search commands' })

it.each(['dark', 'light'] as const)(
  'shows every screen in every size without a finding of axe, in %s',
  async (theme) => {
    const { page } = await openShell({ colorScheme: theme })
    const issues: string[] = []
    for (const address of addresses) {
      await go(page, address)
      issues.push(...(await axeFindings(page)).map((each) => `${address}: ${each}`))
      for (const viewport of viewports) {
        await page.setViewportSize(viewport)
        const name = `${address.replace('/', '-')}-${theme}-${viewport.width}.png`
        await page.screenshot({ path: join(artifactsDir, name) })
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect(overflow, `${address} is wider than the window of ${viewport.width}`).toBeLessThanOrEqual(0)
      }
    }
    expect(issues).toEqual([])
  },
)

/** Screens with most beside or below each other, and what shows that they are complete. */
const wideScreens = [
  ['catalog', 'main article table'],
  ['catalog/flow', '[role=gridcell]'],
  ['catalog/raw.trades', 'main article table'],
  ['coverage', '[role=gridcell]'],
  ['downloads/new', 'main fieldset, main input[type=checkbox]'],
  ['portfolios/portfolio', 'main tbody tr'],
  ['portfolios/universe', 'main canvas'],
  ['raw/catalog', 'main article table'],
  ['settings/cache', 'main h1'],
] as const

it('scrolls no page sideways with text of 200 %, only tables', async () => {
  const desk = await openSandboxDesk()
  const { page } = await openWindow(desk.host.url, { viewport: { width: 640, height: 400 } })
  for (const [address, complete] of wideScreens) {
    await go(page, address)
    await page.locator(complete).first().waitFor()
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll('main, main *')]
        .filter((each) => ['auto', 'scroll'].includes(getComputedStyle(each).overflowX))
        .filter(
          (each) => each.scrollWidth > each.clientWidth && !each.matches('[role=grid], :has(> table, > .rows > table)'),
        )
        .map(({ className, scrollWidth, clientWidth }) => `${className}: ${scrollWidth} in ${clientWidth}`),
    )
    expect(wide, address).toEqual([])
    const cutPx = await page.evaluate(() => document.querySelector('main > *')!.scrollWidth - innerWidth)
    expect(cutPx, `${address} is cut`).toBeLessThanOrEqual(0)
  }
})

it('starts from at most 350 kB, packed', () => {
  const page = readFileSync(join(rendererDir, 'index.html'), 'utf8')
  const files = [...page.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file)
  expect(files.length).toBeGreaterThan(1)
  const sizeKb = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(rendererDir, file))).length, 0) / 1000
  console.log(`The window starts from ${sizeKb.toFixed(0)} kB in ${files.length} files, packed.`)
  expect(sizeKb).toBeLessThan(350)
})

it('goes everywhere by keyboard alone', async () => {
  const { page } = await openShell()
  const keys: [string, string][] = [
    ['c', 'catalog'],
    ['v', 'coverage'],
    ['d', 'downloads'],
    ['p', 'portfolios/portfolio'],
    ['r', 'raw'],
    ['s', 'settings'],
    ['t', 'watch'],
    ['y', 'quality'],
    ['b', 'boards'],
    ['i', 'inbox'],
    ['w', 'workbench'],
  ]
  for (const [letter, screen] of keys) {
    await page.keyboard.press('g')
    await page.keyboard.press(letter)
    await page.waitForURL((url) => url.hash === `#/${screen}`)
  }
  // The focus moves from the top of the page through skip link, navigation rail, top bar, screen and status line, and
  // is visible at every stop.
  const stops: string[] = []
  for (let step = 0; step < 21; step++) {
    await page.keyboard.press('Tab')
    stops.push(
      await page.evaluate(() => {
        const { activeElement } = document
        if (!activeElement || activeElement === document.body) return 'end'
        const { outlineStyle, outlineWidth } = getComputedStyle(activeElement)
        const name = activeElement.getAttribute('aria-label') ?? activeElement.textContent?.trim() ?? ''
        return `${name.replace(/\s+/g, ' ')}${outlineStyle === 'none' || outlineWidth === '0px' ? ' (no ring)' : ''}`
      }),
    )
  }
  expect(stops.filter((stop) => stop.includes('no ring'))).toEqual([])
  expect(stops.slice(0, 12)).toEqual([
    'Skip to content',
    'Workbench',
    'Watch',
    'Lab',
    'Portfolios',
    'SQL',
    'Boards',
    'Data',
    'Downloads',
    'Raw events',
    'Guide',
    'Settings',
  ])
  expect(stops[12]).toMatch(/^Connection:/)
  expect(stops[14]).toBe('Inbox')
  expect(stops[15]).toBe('Online')
})

it('opens the palette, finds by few letters, runs the command and gives the focus back', async () => {
  const { page } = await openShell()
  await page.getByRole('link', { name: 'Data' }).focus()
  await page.keyboard.press('Control+k')
  await palette(page).waitFor()
  await expect.poll(() => palette(page).evaluate((input) => input === document.activeElement)).toBe(true)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'palette-dark-1280.png') })
  await page.keyboard.type('qxzj')
  await page.getByText('No results for').waitFor()
  await palette(page).fill('ｌight theme')
  expect(await page.getByRole('option', { selected: true }).innerText()).toContain('Light theme')
  await page.keyboard.press('Enter')
  await palette(page).waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.theme)).toBe('light')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Data')
  await page.keyboard.press('Control+k')
  await palette(page).waitFor()
  expect(await page.getByRole('group', { name: 'Recent' }).innerText()).toContain('Dark theme')
})

it('lists the shortcuts that work, and closes with Escape', async () => {
  const { page } = await openShell()
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.waitFor()
  for (const title of ['Workbench', 'Zoom in', 'Open raw-event files']) expect(await sheet.innerText()).toContain(title)
  expect(await axeFindings(page)).toEqual([])
  await page.screenshot({ path: join(artifactsDir, 'shortcuts-dark-1280.png') })
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
})

it('moves nothing, not even dialogs, for people who asked for reduced motion', async () => {
  const { page } = await openShell({ reducedMotion: 'reduce' })
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  const moving = await page.evaluate(() =>
    [...document.querySelectorAll('*')].flatMap((each) => {
      const { transitionDuration, animationDuration } = getComputedStyle(each)
      const durations = `${transitionDuration}, ${animationDuration}`.split(', ')
      return durations.some((duration) => parseFloat(duration) > 0) ? `${each.tagName} ${each.className}` : []
    }),
  )
  expect(moving).toEqual([])
})

it('keeps settings over a reload, shows them in another window at once, and never flashes', async () => {
  const { page, desk } = await openShell()
  const other = await openWindow(desk.host.url)
  await go(other.page, 'settings/appearance')
  await go(page, 'settings/appearance')
  await page.getByText('Light', { exact: true }).click()
  await page.getByText('Comfortable', { exact: true }).click()
  for (let step = 0; step < 2; step++) await page.getByRole('button', { name: 'Zoom in' }).click()
  await other.page.getByText('125 %').waitFor()
  await page.addInitScript(() => {
    const seen: string[] = []
    Object.assign(window, { seenThemes: seen })
    const look = () => seen.push(document.documentElement.dataset.theme ?? '')
    new MutationObserver(look).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-theme'] })
  })
  await page.reload()
  await heading(page).waitFor()
  const themes = await page.evaluate(() => (window as unknown as { seenThemes: string[] }).seenThemes)
  expect([...new Set(themes)]).toEqual(['light'])
  expect(page.url()).toMatch(/#\/settings\/appearance$/)
  expect(await page.getByRole('radio', { name: 'Light', exact: true }).isChecked()).toBe(true)
  expect(await page.getByRole('radio', { name: 'Comfortable' }).isChecked()).toBe(true)
  const looks = await page.evaluate(() => {
    const { theme } = document.documentElement.dataset
    const app = document.querySelector('#app')!.getBoundingClientRect()
    return { theme, width: Math.round(app.width), height: Math.round(app.height) }
  })
  expect(looks).toEqual({ theme: 'light', width: 1280, height: 800 })
  await page.screenshot({ path: join(artifactsDir, 'zoomed-light-1280.png') })
})

it('keeps a zoomed window’s dialogs in sight', async () => {
  const { page } = await openShell()
  for (let step = 0; step < 5; step++) await page.keyboard.press('Control+=')
  await page.keyboard.press('Control+k')
  const box = await page.getByRole('dialog').boundingBox()
  expect(box!.x).toBeGreaterThanOrEqual(0)
  expect(box!.x + box!.width).toBeLessThanOrEqual(1280)
  expect(box!.y + box!.height).toBeLessThanOrEqual(800)
  await page.screenshot({ path: join(artifactsDir, 'palette-zoomed-1280.png') })
})

it('goes back and forward through screens and titles them', async () => {
  const { page } = await openShell()
  await go(page, 'coverage')
  await page.getByRole('link', { name: 'Raw events' }).click()
  await expect.poll(() => page.title()).toBe('Raw events · Perpscope')
  await page.goBack()
  await expect.poll(() => page.title()).toBe('Coverage · Perpscope')
  await page.goForward()
  await expect.poll(() => page.title()).toBe('Raw events · Perpscope')
  await go(page, 'no/such/place')
  await expect.poll(() => heading(page).innerText()).toBe('There is no such screen')
})

it('adds a connection with its key, which never comes back to the screen', async () => {
  const { page, desk } = await openShell()
  await go(page, 'settings/connections')
  await page.getByRole('button', { name: 'Add connection' }).click()
  await page.getByRole('textbox', { name: 'Metrics service' }).fill('http://example.com')
  await page.getByRole('button', { name: 'Add connection' }).click()
  await page.getByText('must not be empty').waitFor()
  await page.getByText('must be an https address').waitFor()
  await page.screenshot({ path: join(artifactsDir, 'connection-form-dark-1280.png') })
  expect(await axeFindings(page)).toEqual([])
  await page.getByRole('textbox', { name: 'Name' }).fill('Research desk')
  await page.getByRole('textbox', { name: 'Metrics service' }).fill('https://127.0.0.1:9')
  await page.keyboard.press('Enter')
  const card = page.getByRole('region', { name: 'Research desk' })
  await card.getByRole('button', { name: 'Set key' }).click()
  await page.keyboard.type('canary-0123456789-ab3f')
  await page.keyboard.press('Enter')
  await card.getByText('set, ends in …ab3f').waitFor()
  expect([...desk.ports.vault.secrets.values()]).toEqual(['canary-0123456789-ab3f'])
  expect(await page.content()).not.toContain('canary-0123456789')
  await card.getByRole('button', { name: 'Use' }).click()
  await card.getByText('active').waitFor()
  await page.getByRole('button', { name: /^Connection: Research desk/ }).waitFor()
  await card.getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  await page.screenshot({ path: join(artifactsDir, 'remove-connection-dark-1280.png') })
  await page.getByRole('button', { name: 'Remove connection' }).click()
  await card.waitFor({ state: 'detached' })
  expect(desk.ports.vault.secrets.size).toBe(0)
})
