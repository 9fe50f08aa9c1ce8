import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { axeFindings } from './axe.ts'
import { useTestPage } from './testPage.ts'

const testPage = useTestPage('table')
let page: Page

async function open(kind: 'frame' | 'paged', rows: number, theme = 'dark'): Promise<void> {
  const permissions = ['clipboard-read', 'clipboard-write']
  page = await testPage.open({ kind, rows, theme }, { permissions })
  await page.locator('.rows .cell:not(.waiting)').first().waitFor()
}

/** Polls with a timeout that a busy machine needs. */
const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 30_000 })

const rowAt = (row: number) => page.locator(`[data-row="${row}"]`)
const cellAt = (row: number, place: number) => rowAt(row).locator(`[data-place="${place}"]`)
const header = (name: string) => page.getByRole('columnheader', { name })
const counts = () => page.locator('.counts').innerText()
const clipboard = () => page.evaluate(() => navigator.clipboard.readText())

/** Turns the wheel and waits until the browser has finished scrolling. */
async function wheel(byPx: number): Promise<void> {
  const ended = await page.evaluateHandle(() => {
    const scroller = document.querySelector('.scroller')!
    return { done: new Promise((resolve) => scroller.addEventListener('scrollend', resolve, { once: true })) }
  })
  await page.mouse.wheel(0, byPx)
  await ended.evaluate(({ done }) => done)
}

const ROW_COLUMN = 7

/** Returns the numbers of the rows in view, from top to bottom. */
const rowsInView = () =>
  page.locator(`.rows [data-place="${ROW_COLUMN}"]`).evaluateAll((cells) =>
    cells
      .map((cell) => ({ top: cell.getBoundingClientRect().top, text: cell.textContent!.replace(/\D/g, '') }))
      .sort((a, b) => a.top - b.top)
      .map(({ text }) => text),
  )

describe('a table of a million rows', () => {
  it('shows its first rows, and its last after the bar is dragged to the end', async () => {
    await open('frame', 1_000_000)
    expect(await rowAt(0).innerText()).toContain('BTC-0-USDT')
    const top = await page.locator('.head').boundingBox()
    expect((await rowAt(0).boundingBox())!.y).toBeCloseTo(top!.y + top!.height, 0)
    await page.locator('.scroller').evaluate((element) => (element.scrollTop = element.scrollHeight))
    await rowAt(999_999).waitFor()
    const [last, view] = [await rowAt(999_999).boundingBox(), await page.locator('.scroller').boundingBox()]
    expect(last!.y + last!.height).toBeLessThan(view!.y + view!.height + 1)
  })

  it('sorts by a header, adds a second key with shift, and ends', async () => {
    await open('frame', 1_000_000)
    await header('Row').click()
    await eventually(async () => (await rowsInView())[0]).toBe('999999')
    expect(await header('Row').getAttribute('aria-sort')).toBe('descending')
    await header('Row').click()
    await eventually(async () => (await rowsInView())[0]).toBe('0')
    await header('State').click()
    await header('Row').click({ modifiers: ['Shift'] })
    // The header shows the order of the drawn rows: once it shows the new order, the rows are sorted.
    await eventually(() => header('State').innerText()).toContain('↑1')
    expect(await header('Row').innerText()).toContain('↓2')
    expect(await rowAt(0).innerText()).toContain('cached')
  })

  it('cuts the unit of a narrow header before its title', async () => {
    await open('frame', 1000)
    const widths = (part: string) =>
      header('Volume')
        .locator(part)
        .evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))
    await page.locator('.scroller').focus()
    for (const key of ['Control+Home', 'ArrowUp', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight'])
      await page.keyboard.press(key)
    for (let at = 0; at < 3; at += 1) await page.keyboard.press('Alt+ArrowLeft')
    await eventually(async () => (await widths('.unit')).clientWidth).toBeLessThan((await widths('.unit')).scrollWidth)
    const { scrollWidth, clientWidth } = await widths('.title')
    expect(clientWidth).toBe(scrollWidth)
  })

  it('filters while one types, and says how many are left', async () => {
    await open('frame', 1_000_000)
    await page.getByPlaceholder('Filter').fill('龙-19995')
    await eventually(counts).toMatch(/^50 of 1\s000\s000 rows$/)
    await page.getByPlaceholder('Filter').fill('no such symbol')
    await page.getByText('No row matches the filter.').waitFor()
    await page.getByPlaceholder('Filter').fill('')
    await eventually(counts).toMatch(/^1\s000\s000 rows$/)
  })

  it('is walked through, chosen from and copied from with the keyboard alone', async () => {
    await open('frame', 1_000_000)
    await page.locator('.scroller').focus()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
    expect(await page.locator('.rows .current').innerText()).toBe('partial')
    const active = await page.locator('.scroller').getAttribute('aria-activedescendant')
    expect(await page.locator(`[id="${active}"]`).getAttribute('aria-colindex')).toBe('2')
    await page.keyboard.press('Control+End')
    await rowAt(999_999).waitFor()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await eventually(counts).toContain('2 selected')
    expect(await rowAt(0).getAttribute('aria-selected')).toBe('false')
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Space')
    await page.keyboard.press('Shift+ArrowDown')
    await page.keyboard.press('Shift+ArrowDown')
    await eventually(counts).toContain('3 selected')
    await page.keyboard.press('Control+c')
    await eventually(() => page.locator('.events').innerText()).toContain('copied:3/3')
    const lines = (await clipboard()).split('\n').map((line) => line.split('\t'))
    expect(lines.map((line) => line.slice(0, 3))).toEqual([
      ['Symbol', 'State', 'Time'],
      ['BTC-0-USDT', 'cached', '2026-08-01T00:00:00.000Z'],
      ['ETH-1-USDT', 'failed', '2026-08-01T00:00:00.250Z'],
      ['SOL-2-USDT', 'partial', '2026-08-01T00:00:00.500Z'],
    ])
    expect(lines[1]).toHaveLength(48)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Shift+F10')
    const menu = page.getByRole('menu', { name: 'Row menu' })
    expect(await menu.getByRole('menuitem').allInnerTexts()).toEqual([
      expect.stringContaining('Open'),
      expect.stringContaining('Note it'),
      expect.stringMatching(/Copy/),
      expect.stringContaining('Copy cell'),
    ])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await menu.waitFor({ state: 'detached' })
    await eventually(() => page.locator('.events').innerText()).toMatch(/open:2 menu:2$/)
    // The keyboard focus is back in the table.
    expect(await page.getByRole('grid').evaluate((grid) => grid.contains(document.activeElement))).toBe(true)
    await page.locator('[data-row="4"]').click({ button: 'right', position: { x: 20, y: 8 } })
    await menu.getByRole('menuitem', { name: 'Note it' }).click()
    await eventually(() => page.locator('.events').innerText()).toMatch(/menu:4$/)
    expect(await page.locator('[data-row="4"]').getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Control+a')
    await eventually(counts).toMatch(/1\s000\s000 selected/)
    await page.keyboard.press('Escape')
    await eventually(counts).not.toContain('selected')
    for (const key of ['Control+ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
    await eventually(() => header('Symbol').getAttribute('aria-sort')).toBe('ascending')
  })

  it('keeps what is chosen through sorting', async () => {
    await open('frame', 1000)
    await rowAt(3).click()
    await rowAt(5).click({ modifiers: ['Control'] })
    await header('Row').click()
    await eventually(async () => (await rowsInView())[0]).toBe('999')
    expect(await counts()).toContain('2 selected')
    await page.locator('.scroller').focus()
    await page.keyboard.press('Control+End')
    await rowAt(999).waitFor()
    expect(await page.locator('.row.selected').count()).toBe(2)
    expect(await rowAt(996).getAttribute('aria-selected')).toBe('true')
  })
})

describe('a table of five million rows in pages', () => {
  it('steps exactly, jumps anywhere, and reaches the very end', async () => {
    await open('paged', 5_000_000)
    await page.locator('.scroller').hover()
    await wheel(240)
    await eventually(async () => (await rowsInView())[0]).toBe('10')
    await page.locator('.scroller').evaluate((element) => (element.scrollTop = element.scrollHeight / 2))
    await eventually(async () => Math.abs(Number((await rowsInView())[0]) - 2_500_000)).toBeLessThan(200)
    const middle = Number((await rowsInView())[0])
    await wheel(2400)
    await eventually(async () => Number((await rowsInView())[0])).toBe(middle + 100)
    await page.locator('.scroller').focus()
    await page.keyboard.press('Control+ArrowDown')
    await eventually(async () => (await rowsInView()).at(-1)).toBe('4999999')
    await page.keyboard.press('ArrowUp')
    expect((await rowsInView()).at(-1)).toBe('4999999')
    await page.keyboard.press('Control+ArrowUp')
    await eventually(async () => (await rowsInView())[0]).toBe('0')
  })

  it('never leaves a stretch blank: rows on their way stand as placeholders', async () => {
    await open('paged', 5_000_000)
    const shape = await page.evaluate(async () => {
      const scroller = document.querySelector('.scroller')!
      const view = scroller.getBoundingClientRect()
      const uncovered: number[] = []
      for (let step = 1; step <= 10; step += 1) {
        scroller.scrollTop = step * 1_400_000
        await new Promise((resolve) => requestAnimationFrame(resolve))
        for (let y = view.top + 30; y < view.bottom - 20; y += 40) {
          if (!document.elementFromPoint(view.left + 300, y)?.closest('[role=gridcell]')) uncovered.push(y)
        }
      }
      return uncovered
    })
    expect(shape).toEqual([])
  })
})

describe('columns', () => {
  it('are drawn only in view, the first one always', async () => {
    await open('frame', 1000)
    const drawn = await rowAt(0).getByRole('gridcell').count()
    expect(drawn).toBeLessThan(15)
    await page.locator('.scroller').evaluate((element) => (element.scrollLeft = element.scrollWidth))
    await header('Price 39').waitFor()
    expect(await cellAt(0, 0).innerText()).toBe('BTC-0-USDT')
    const [cell, head] = [await cellAt(0, 47).boundingBox(), await header('Price 39').boundingBox()]
    expect(cell!.x).toBeCloseTo(head!.x, 0)
    expect(cell!.x + cell!.width).toBeLessThanOrEqual(1280)
  })

  it('are hidden, moved and made wider', async () => {
    await open('frame', 1000)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByPlaceholder('Find a column').fill('state')
    await page.getByRole('checkbox', { name: 'State' }).uncheck()
    await eventually(() => header('State').count()).toBe(0)
    await page.getByPlaceholder('Find a column').fill('time')
    await page.getByRole('button', { name: 'Move Time right' }).click()
    await page.keyboard.press('Escape')
    const titles = await page.getByRole('columnheader').allInnerTexts()
    expect(titles.slice(0, 3).map((title) => title.split(/\s/)[0])).toEqual(['Symbol', 'Price', 'Time'])
    const before = await header('Symbol').boundingBox()
    await page.mouse.move(before!.x + before!.width - 3, before!.y + 8)
    await page.mouse.down()
    await page.mouse.move(before!.x + before!.width + 57, before!.y + 8, { steps: 3 })
    await page.mouse.up()
    await eventually(async () => (await header('Symbol').boundingBox())!.width).toBeCloseTo(before!.width + 60, 0)
    expect(await header('Symbol').getAttribute('aria-sort')).toBe('none')
  })

  it('say what is missing, not a number and infinite, in words', async () => {
    await open('frame', 1000)
    expect(await cellAt(1, 5).innerText()).toBe('–')
    expect(await cellAt(1, 5).getAttribute('title')).toBe('missing')
    expect(await cellAt(2, 5).innerText()).toBe('not a number')
    expect(await cellAt(4, 5).innerText()).toBe('−infinity')
  })
})

it('keeps tints and bars in forced colours, as lines as long as their values', async () => {
  await open('frame', 1000)
  await page.emulateMedia({ forcedColors: 'active' })
  const lines = (cells: string, pseudo: string | null) =>
    page.locator(cells).evaluateAll((all, of) => {
      const styles = all.map((cell) => getComputedStyle(cell, of))
      return styles.flatMap(({ backgroundImage, backgroundSize }) =>
        backgroundImage.includes('gradient') ? backgroundSize : [],
      )
    }, pseudo)
  for (const [cells, pseudo] of [
    ['.rows .heat-high', null],
    ['.rows .bar', '::before'],
  ] as const)
    expect(new Set(await lines(cells, pseudo)).size, cells).toBeGreaterThan(2)
})

describe.each(['dark', 'light'])('in the %s theme', (theme) => {
  it('has no accessibility findings', async () => {
    await open('frame', 1000, theme)
    await rowAt(4).click()
    expect(await axeFindings(page)).toEqual([])
    // Every strength of a tint is readable in a selected row, too.
    await page.keyboard.press('Control+a')
    await eventually(counts).toMatch(/1\s000 selected/)
    expect(await axeFindings(page)).toEqual([])
  })

  it('shows where the focus is: on the table, or on its current cell while that is in view', async () => {
    await open('frame', 1000, theme)
    const styleOf = (selector: string, pseudo: string | null) =>
      page.locator(selector).evaluate((element, of) => getComputedStyle(element, of).outlineStyle, pseudo)
    const tableRing = () => styleOf('.data-table', '::after')
    expect(await tableRing()).toBe('none')
    await page.locator('.scroller').focus()
    expect(await tableRing()).toBe('solid')
    await page.keyboard.press('ArrowDown')
    await eventually(tableRing).toBe('none')
    expect(await styleOf('.rows .current', null)).toBe('solid')
    await page.locator('.scroller').evaluate((element) => (element.scrollTop = element.scrollHeight))
    await eventually(tableRing).toBe('solid')
    expect(await page.locator('.scroller').getAttribute('aria-activedescendant')).toBe(null)
  })
})
