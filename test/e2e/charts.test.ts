import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { axeFindings } from './axe.ts'
import { artifactsDir } from './harness.ts'
import { useTestPage } from './testPage.ts'

const testPage = useTestPage('chart')
let page: Page

const eventually = <Value>(read: () => Value) => expect.poll(read, { timeout: 30_000 })

async function open(kind: string, rest: Record<string, string | number> = {}): Promise<void> {
  page = await testPage.open({ kind, ...rest }, { timezoneId: 'Asia/Tokyo' })
  await (kind === 'empty' ? page.getByText('Nothing to draw yet.') : page.locator('canvas').first()).waitFor()
}

interface Harness {
  chart: { control: { range: { startMs: number; endMs: number } | { value: { startMs: number; endMs: number } } } }
  events: [string, unknown][]
}

const harness = async <Result>(read: (harness: Harness) => Result): Promise<Result> => {
  const handle = await page.evaluateHandle(() => (window as unknown as { harness: Harness }).harness)
  return handle.evaluate(read as never) as Promise<Result>
}

const rangeNow = () =>
  harness(({ chart }) => {
    const { range } = (chart as unknown as { value: Harness['chart'] }).value.control
    return 'value' in range ? { ...range.value } : { ...range }
  })
const eventsNow = () => harness(({ events }) => events)

/** Returns the box of a pane's plot on the screen. */
async function plotBox(pane = 0): Promise<{ x: number; y: number; width: number; height: number }> {
  return (await page.locator('.chart-overlay').nth(pane).boundingBox())!
}

/**
 * Returns the share of pixel columns that contain the colour of a series, between two fractions of the plot's width.
 */
const inkShare = (pane: number, from: number, to: number, series = 1) =>
  page.evaluate(
    ([index, start, end, place]) => {
      const canvas = document.querySelectorAll<HTMLCanvasElement>('.chart-canvas canvas')[index]
      const overlay = document.querySelectorAll<HTMLElement>('.chart-overlay')[index]
      const hex = getComputedStyle(canvas).getPropertyValue(`--series-${place}`).trim()
      const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))
      const scale = canvas.width / canvas.offsetWidth
      const left = Math.round((overlay.offsetLeft + overlay.offsetWidth * start) * scale)
      const width = Math.round(overlay.offsetWidth * (end - start) * scale)
      const { data } = canvas.getContext('2d')!.getImageData(left, 0, width, canvas.height)
      const columns = new Set<number>()
      for (let at = 0; at < data.length; at += 4)
        if (wanted.every((part, channel) => Math.abs(part - data[at + channel]) < 24)) columns.add((at / 4) % width)
      return columns.size / width
    },
    [pane, from, to, series] as const,
  )

/**
 * Returns the y positions in CSS pixels that contain the colour of the first series, between two x positions of a pane.
 */
const inkRows = (fromX: number, toX: number) =>
  page.evaluate(
    ([start, end]) => {
      const canvas = document.querySelector<HTMLCanvasElement>('.chart-canvas canvas')!
      const hex = getComputedStyle(canvas).getPropertyValue('--series-1').trim()
      const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))
      const scale = canvas.width / canvas.offsetWidth
      const width = Math.ceil((end - start) * scale)
      const { data } = canvas.getContext('2d')!.getImageData(Math.floor(start * scale), 0, width, canvas.height)
      const rows = new Set<number>()
      for (let at = 0; at < data.length; at += 4)
        if (wanted.every((part, channel) => Math.abs(part - data[at + channel]) < 60))
          rows.add(Math.floor(at / 4 / width) / scale)
      return [...rows]
    },
    [fromX, toX] as const,
  )

const shoot = (name: string) => page.screenshot({ path: join(artifactsDir, `chart-${name}.png`) })

describe('what is drawn', () => {
  it.each(['dark', 'light'])('candles with volume over bars, in %s', async (theme) => {
    await open('candles', { theme })
    await page.mouse.move(700, 300)
    await eventually(() => page.locator('.chart-legend').first().innerText()).toMatch(/O .*H .*L .*C .*V /)
    await shoot(`candles-${theme}`)
    expect(await inkShare(1, 0, 1, 3)).toBeGreaterThan(0)
  })

  it.each(['dark', 'light'])('a log axis that says what it leaves out, in %s', async (theme) => {
    await open('log', { theme })
    await shoot(`log-${theme}`)
    expect(await page.locator('.chart-legend').first().innerText()).toContain('cannot be drawn on a log axis')
  })

  it.each(['dark', 'light'])('gaps as gaps, by mask and by rows that are not there, in %s', async (theme) => {
    await open('gap', { theme })
    await shoot(`gap-${theme}`)
    for (const [pane, series] of [
      [0, 1],
      [1, 2],
    ]) {
      expect(await inkShare(pane, 0.42, 0.58, series)).toBe(0)
      expect(await inkShare(pane, 0.05, 0.35, series)).toBeGreaterThan(0.9)
    }
    const { x, y, width } = await plotBox()
    await page.mouse.move(x + width / 2, y + 50)
    await eventually(() => page.locator('.chart-legend').first().innerText()).toContain('–')
  })

  it.each(['dark', 'light'])('a stretch that is not downloaded, with its button, in %s', async (theme) => {
    await open('absent', { theme })
    await shoot(`absent-${theme}`)
    await page.getByRole('button', { name: 'Download' }).click()
    expect(await eventsNow()).toContainEqual(['download', 'later'])
    await eventually(() => page.getByRole('img', { name: /^Coverage/ }).getAttribute('aria-label')).toContain('cached')
  })

  it.each(['dark', 'light'])('several series, axes, transforms, notes and shading, in %s', async (theme) => {
    await open('two', { theme })
    await shoot(`panes-${theme}`)
    expect(await page.locator('.chart-legend').nth(1).innerText()).toContain('% from start of view')
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Note: Listing on a second venue' }).click()
    expect(await eventsNow()).toContainEqual(['openNote', 'n1'])
  })

  it.each([1, 2])(
    'the last value, marked at its height on the axis, with %s dots a pixel',
    async (deviceScaleFactor) => {
      page = await testPage.open({ kind: 'point' }, { deviceScaleFactor })
      await page.locator('canvas').first().waitFor()
      const { leftPx, widthPx } = await page
        .locator('.chart-overlay')
        .evaluate((overlay: HTMLElement) => ({ leftPx: overlay.offsetLeft, widthPx: overlay.offsetWidth }))
      const mark = await inkRows(0, leftPx - 3)
      const point = await inkRows(leftPx + 3, leftPx + widthPx)
      expect(mark.length / deviceScaleFactor).toBeCloseTo(15, 0)
      const middle = (rows: number[]) => (rows[0] + rows[rows.length - 1]) / 2
      expect(Math.abs(middle(mark) - middle(point))).toBeLessThan(2)
    },
  )

  it.each(['point', 'nothing', 'empty'])('%s: a picture and no crash', async (kind) => {
    await open(kind)
    await shoot(kind)
    if (kind === 'nothing') expect(await page.locator('.chart-legend').innerText()).toContain('no value in view')
    if (kind === 'point') expect(await inkShare(0, 0, 1)).toBeGreaterThan(0)
  })
})

describe('axes and drawings', () => {
  const lastEvent = async (name: string) => (await eventsNow()).findLast(([each]) => each === name)?.[1]
  type Lock = [pane: string, side: string, bounds: { low: number; high: number; unit: string } | null]

  it('stretches an axis by a drag, moves it with Shift, and frees it by a double click', async () => {
    await open('candles', { edit: 1 })
    const handle = page.getByRole('slider', { name: 'Left axis of ohlcv' })
    const before =
      Number(await handle.getAttribute('aria-valuemax')) - Number(await handle.getAttribute('aria-valuemin'))
    const box = (await handle.boundingBox())!
    const dragBy = async (byPx: number) => {
      await page.mouse.move(box.x + 10, box.y + 80)
      await page.mouse.down()
      await page.mouse.move(box.x + 10, box.y + 80 + byPx, { steps: 4 })
      await page.mouse.up()
    }
    await dragBy(-60)
    const [pane, side, locked] = (await lastEvent('lock')) as Lock
    expect([pane, side, locked!.unit]).toEqual(['ohlcv', 'left', 'price'])
    expect(locked!.high - locked!.low).toBeLessThan(before)
    await eventually(() => page.locator('.chart-legend').first().innerText()).toContain('locked left axis')
    await page.keyboard.down('Shift')
    await dragBy(60)
    await page.keyboard.up('Shift')
    const [, , moved] = (await lastEvent('lock')) as Lock
    expect(moved!.high - moved!.low).toBeCloseTo(locked!.high - locked!.low, 3)
    expect(moved!.low).toBeGreaterThan(locked!.low)
    await page.mouse.dblclick(box.x + 10, box.y + 80)
    await eventually(() => page.locator('.chart-legend').first().innerText()).not.toContain('locked')
  })

  it('stretches an axis by keys, and says so', async () => {
    await open('candles', { edit: 1 })
    const handle = page.getByRole('slider', { name: 'Left axis of ohlcv' })
    await handle.focus()
    await page.keyboard.press('ArrowUp')
    await eventually(() => handle.getAttribute('aria-valuetext')).toContain('locked')
    await page.keyboard.press('Delete')
    await eventually(() => handle.getAttribute('aria-valuetext')).not.toContain('locked')
    expect(await axeFindings(page)).toEqual([])
  })

  it.each(['dark', 'light'])('draws a level, a line and a range by pointer, in %s', async (theme) => {
    await open('candles', { edit: 1, theme })
    const { x, y } = await plotBox()
    await page.getByRole('button', { name: 'Draw a level' }).click()
    await page.mouse.click(x + 300, y + 50)
    for (const [tool, from] of [
      ['Draw a line', 100],
      ['Mark a range', 500],
    ] as const) {
      await page.getByRole('button', { name: tool }).click()
      await page.mouse.move(x + from, y + 90)
      await page.mouse.down()
      await page.mouse.move(x + from + 120, y + 30, { steps: 3 })
      await page.mouse.up()
    }
    await eventually(() => page.getByRole('button', { name: /^Drawing: / }).count()).toBe(3)
    expect(await axeFindings(page)).toEqual([])
    await shoot(`drawings-${theme}`)
    await page
      .getByRole('button', { name: /^Drawing: / })
      .first()
      .click()
    expect(await eventsNow()).toContainEqual(['openDrawing', 'd0'])
  })

  it('draws by keys on the pane that they act on, and opens its menu', async () => {
    await open('candles', { edit: 1 })
    await page.getByRole('application').focus()
    await page.keyboard.press('PageDown')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('l')
    await eventually(() => page.locator('[data-pane=flow] .drawing-tag').count()).toBe(1)
    await page.keyboard.press('r')
    for (let row = 0; row < 9; row += 1) await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('r')
    await eventually(() => page.locator('[data-pane=flow] .drawing-tag').count()).toBe(2)
    await page.keyboard.press('Shift+F10')
    expect(await lastEvent('menu')).toEqual(['flow', 'left', expect.any(Number)])
  })
})

describe('the legend', () => {
  it('gives every series its line, and scrolls by wheel and keyboard where lines need too much of a pane', async () => {
    await open('many')
    const legend = page.locator('.chart-legend')
    const names = legend.locator('.entry')
    const bottoms = async () => {
      const { y, height } = (await legend.boundingBox())!
      const entries = await names.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().bottom))
      return { legend: y + height, last: Math.max(...entries) }
    }
    await eventually(async () => (await bottoms()).last - (await bottoms()).legend).toBe(0)
    const { x, y, width } = await plotBox()
    const before = await plotBox()
    await page.mouse.move(x + width / 2, y + 20)
    await eventually(() => names.last().innerText()).toMatch(/6[34].\d{3}\./)
    expect(await plotBox()).toEqual(before)
    await shoot('many')
    await page.setViewportSize({ width: 500, height: 420 })
    await legend.and(page.getByRole('group', { name: 'Legend' })).focus()
    await page.keyboard.press('End')
    await eventually(async () => (await bottoms()).last - (await bottoms()).legend).toBeLessThanOrEqual(1)
    await shoot('many-small')
    expect(await axeFindings(page)).toEqual([])
  })

  it.each([900, 460, 300])('shows every value of a candle whole in a chart that is %s pixels wide', async (width) => {
    await open('candles')
    await page.setViewportSize({ width, height: 700 })
    const { x, y } = await plotBox()
    await page.mouse.move(x + 100, y + 60)
    const values = page.locator('.chart-legend .candles .value > span')
    await eventually(() => values.count()).toBe(5)
    const room = (await page.locator('.chart-legend').first().boundingBox())!
    const boxes = await values.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON() as DOMRect))
    for (const { right, bottom } of boxes) {
      expect(right).toBeLessThanOrEqual(room.x + room.width)
      expect(bottom).toBeLessThanOrEqual(room.y + room.height)
    }
    await shoot(`candles-${width}`)
  })
})

describe('the toolbar', () => {
  it('says under an unreadable date what it needs', async () => {
    await open('line')
    const field = page.getByRole('textbox', { name: 'Go to date' })
    await field.fill('2026-13-45')
    await field.press('Enter')
    await page.getByRole('status').getByText('Enter a date or a time, for example 2026-08-01').waitFor()
    await field.fill('2026-08-01')
    expect(await page.getByRole('status').getByText('Enter a date').count()).toBe(0)
  })

  it('leaves out the time of the cross-hair rather than a part of it', async () => {
    await open('line', { edit: 1 })
    const { x, y } = await plotBox()
    await page.mouse.move(x + 100, y + 100)
    const readout = page.locator('.chart-toolbar .readout')
    await eventually(() => readout.innerText()).toMatch(/^2026-08-01/)
    for (let width = 900; width >= 500; width -= 20) {
      await page.setViewportSize({ width, height: 700 })
      const cutPx = await readout.evaluate((element) => {
        const text = document.createRange()
        text.selectNodeContents(element)
        const [inner, outer] = [text.getBoundingClientRect(), element.getBoundingClientRect()]
        return inner.top >= outer.bottom - 1 ? 0 : inner.right - outer.right
      })
      expect(cutPx, `${width}`).toBeLessThanOrEqual(0)
    }
  })
})

describe('the cross-hair', () => {
  it('stands at one time over all panes, with the row of each', async () => {
    await open('two')
    const { x, y, width } = await plotBox(2)
    await page.mouse.move(x + width / 2, y + 20)
    await eventually(() => page.locator('.has-cursor .u-cursor-x').count()).toBe(3)
    const places = await page
      .locator('.has-cursor .u-cursor-x')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left))
    expect(new Set(places).size).toBe(1)
    expect(await page.locator('.chart-toolbar .readout').innerText()).toBe('2026-08-01 12:00 UTC')
    await page.mouse.move(5, 5)
    await eventually(() => page.locator('.has-cursor .u-cursor-x').count()).toBe(0)
  })

  it('stands at the height of the pointer in its pane alone, with the value of the axis', async () => {
    await open('two')
    const { x, y, width, height } = await plotBox(1)
    const valueAt = async (share: number) => {
      await page.mouse.move(x + width / 2, y + height * share)
      await eventually(() => page.locator('.level-line').count()).toBe(1)
      const numbers = await page.locator('.level-mark.left').allInnerTexts()
      return Number(numbers[0].replace(/[^\d.−-]/g, '').replace('−', '-'))
    }
    const low = await valueAt(0.8)
    expect(await valueAt(0.2)).toBeGreaterThan(low)
    await page.mouse.move(5, 5)
    await eventually(() => page.locator('.level-line').count()).toBe(0)
    expect(await page.locator('.level-mark').count()).toBe(0)
  })

  it('and the axis change to local time together', async () => {
    await open('two')
    await page.getByRole('button', { name: 'UTC' }).click()
    await page.getByRole('button', { name: 'Asia/Tokyo' }).waitFor()
    const { x, y, width } = await plotBox()
    await page.mouse.move(x + width / 2, y + 20)
    await eventually(() => page.locator('.chart-toolbar .readout').innerText()).toBe('2026-08-01 21:00 UTC+09:00')
  })
})

describe('moving about', () => {
  it.each([1, 1.5])('the wheel keeps the time under the cursor, at a zoom of %s', async (zoom) => {
    await open('line', { zoom })
    const { x, y, width } = await plotBox()
    const at = x + width * 0.3
    await page.mouse.move(at, y + 100)
    const before = await rangeNow()
    await page.mouse.wheel(0, -300)
    await eventually(async () => (await rangeNow()).endMs).toBeLessThan(before.endMs)
    const after = await rangeNow()
    const timeIn = (range: typeof before) => range.startMs + 0.3 * (range.endMs - range.startMs)
    const perPx = (after.endMs - after.startMs) / width
    expect(Math.abs(timeIn(after) - timeIn(before))).toBeLessThan(3 * perPx)
    expect(after.endMs - after.startMs).toBeLessThan((before.endMs - before.startMs) * 0.7)
  })

  it('a drag zooms, back and a double click undo it', async () => {
    await open('line')
    const whole = await rangeNow()
    const { x, y, width } = await plotBox()
    await page.mouse.move(x + width * 0.25, y + 100)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.5, y + 140, { steps: 4 })
    await page.mouse.up()
    await eventually(async () => Math.round((await rangeNow()).startMs - whole.startMs) / 3_600_000).toBeCloseTo(6, 0)
    expect((await rangeNow()).endMs - whole.startMs).toBeCloseTo(12 * 3_600_000, -6)
    await page.getByRole('button', { name: 'Previous view' }).click()
    await eventually(rangeNow).toEqual(whole)
    await page.getByRole('button', { name: 'Next view' }).click()
    await page.mouse.dblclick(x + 300, y + 100)
    await eventually(rangeNow).toEqual(whole)
  })

  it('shift and a drag pan', async () => {
    await open('line')
    await page.locator('.stage').press('+')
    const before = await rangeNow()
    const { x, y, width } = await plotBox()
    await page.keyboard.down('Shift')
    await page.mouse.move(x + width / 2, y + 100)
    await page.mouse.down()
    await page.mouse.move(x + width / 4, y + 100, { steps: 3 })
    await page.mouse.up()
    await page.keyboard.up('Shift')
    const after = await rangeNow()
    const quarter = (before.endMs - before.startMs) / 4
    expect((after.startMs - before.startMs) / quarter).toBeCloseTo(1, 1)
    expect(after.endMs - after.startMs).toBeCloseTo(before.endMs - before.startMs, 3)
  })

  it('the keys do all of it', async () => {
    await open('two')
    const whole = await rangeNow()
    const stage = page.getByRole('application')
    expect(await stage.getAttribute('aria-label')).toMatch(/Binance \(line, price\).*From 2026-08-01 00:00 to .* UTC/)
    await stage.press('+')
    await stage.press('+')
    const closer = await rangeNow()
    expect(closer.endMs - closer.startMs).toBeLessThan((whole.endMs - whole.startMs) / 2 + 1)
    await stage.press('ArrowRight')
    expect((await rangeNow()).startMs).toBeGreaterThan(closer.startMs)
    await stage.press('Home')
    expect((await rangeNow()).startMs).toBe(whole.startMs)
    await stage.press('Backspace')
    await stage.press('Backspace')
    expect(await rangeNow()).toEqual(closer)
    await stage.press('0')
    expect(await rangeNow()).toEqual(whole)
    await stage.press('Shift+ArrowRight')
    await eventually(() => page.locator('[aria-live]').innerText()).toMatch(/^2026-08-01 12:0.*Binance/)
    await stage.press('m')
    for (let step = 0; step < 5; step += 1) await stage.press('Shift+ArrowRight')
    await stage.press('m')
    await eventually(() => page.locator('.measure-text').first().innerText()).toContain('5 min 00 s')
    await stage.press('n')
    expect((await eventsNow()).at(-1)![0]).toBe('note')
    await stage.press('g')
    await page.keyboard.type('2026-08-01 06:00')
    await page.keyboard.press('Enter')
    const went = await rangeNow()
    expect((went.startMs + went.endMs) / 2).toBe(Date.UTC(2026, 7, 1, 6))
  })

  it('panes take height from each other', async () => {
    await open('two')
    const before = (await plotBox(0)).height
    await page.getByRole('separator').first().press('ArrowDown')
    await eventually(async () => (await plotBox(0)).height).toBeGreaterThan(before + 10)
  })
})

describe('a chart of more panes than fit', () => {
  const lastPane = () => page.locator('.plot').last()
  const isInView = () =>
    lastPane().evaluate(
      (plot) =>
        plot.getBoundingClientRect().bottom <= document.querySelector('.time-axis')!.getBoundingClientRect().top + 1,
    )

  /** Moves the pointer over the legend that is nearest to the middle of the chart. */
  const pointBesideThePlots = async () => {
    const stage = (await page.locator('.stage').boundingBox())!
    const legends = await page
      .locator('.chart-legend')
      .evaluateAll((all) => all.map((legend) => legend.getBoundingClientRect().top + 10))
    const middle = stage.y + stage.height / 2
    const nearest = legends.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0]
    await page.mouse.move(stage.x + 300, nearest)
  }

  it('scrolls by the wheel beside the plots and by the keys, and keeps its times in view', async () => {
    await open('tall')
    await eventually(() => page.locator('.plot').count()).toBe(24)
    expect(await isInView()).toBe(false)
    const whole = await rangeNow()
    // A turn of the wheel may be lost while the page is busy, so it is turned until the last pane is in view. The pointer
    // goes to a legend before each turn: on a slow machine a turn is a gesture of its own, which over a plot zooms.
    await eventually(async () => {
      if (!(await isInView())) {
        await pointBesideThePlots()
        await page.mouse.wheel(0, 600)
      }
      return isInView()
    }).toBe(true)
    expect(await rangeNow()).toEqual(whole)
    expect(await page.locator('.time-axis').innerText()).toMatch(/06:00.*12:00.*18:00/s)
    await page.locator('.stage').focus()
    await page.keyboard.press('PageUp')
    await page.locator('.stage').evaluate((stage) => (stage.scrollTop = 0))
    await page.keyboard.press('PageUp')
    await eventually(() =>
      page
        .locator('.plot')
        .first()
        .evaluate((plot) => plot.getBoundingClientRect().top),
    ).toBeGreaterThan(0)
  })

  it('paints what comes into view as it is now', async () => {
    await open('tall')
    await eventually(() => page.locator('.plot').count()).toBe(24)
    await page.locator('.stage').press('+')
    await page.locator('.stage').evaluate((stage) => (stage.scrollTop = stage.scrollHeight))
    await eventually(() => inkShare(23, 0.1, 0.9)).toBeGreaterThan(0.9)
    const { x, width } = await plotBox(23)
    await page.mouse.move(x + width / 2, (await plotBox(23)).y + 20)
    await eventually(() => lastPane().locator('.u-cursor-x').isVisible()).toBe(true)
  })

  it('gives a pane more height without taking it from another', async () => {
    await open('tall')
    const [before, next] = [(await plotBox(0)).height, (await plotBox(1)).height]
    await page.getByRole('separator').first().press('ArrowDown')
    await eventually(async () => (await plotBox(0)).height).toBeGreaterThan(before + 10)
    expect((await plotBox(1)).height).toBe(next)
  })
})

describe('the theme', () => {
  it('is applied at once', async () => {
    await open('line')
    const { x, y, width } = await plotBox()
    const pixel = () => inkShare(0, 0, 1)
    expect(await pixel()).toBeGreaterThan(0.9)
    await harness((all) => (all as unknown as { applyTheme(name: string): void }).applyTheme('light'))
    await eventually(pixel).toBeGreaterThan(0.9)
    expect(width).toBeGreaterThan(x + y)
  })
})

it('draws two million points, and again at once', async () => {
  await open('line', { rows: 2_102_400 })
  expect(await inkShare(0, 0.1, 0.9)).toBeGreaterThan(0.9)
  await page.locator('.stage').press('+')
  expect(await inkShare(0, 0.1, 0.9)).toBeGreaterThan(0.9)
})
