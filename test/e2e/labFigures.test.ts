import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import { run } from '../../electron/cli/run.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'
import { openDesk, openWindow, useBrowser } from './harness.ts'

useBrowser()

const patience = { timeout: 20_000 }
const data = join(import.meta.dirname, '..', 'conformance', 'data', 'studies')
const WIDTH_PX = 1200

type Numbers = readonly (number | null)[]
/** Numbers of a result, by title of the figure and by column of its CSV. */
type Expected = Record<string, Record<string, Numbers>>

const intervals = (estimates: readonly { mean: number | null; low: number | null; high: number | null }[]) => ({
  Mean: estimates.map(({ mean }) => mean),
  '95 % low': estimates.map(({ low }) => low),
  '95 % high': estimates.map(({ high }) => high),
})
const meansOf = (rows: readonly { mean: number | null }[]) => rows.map(({ mean }) => mean)
const countsOf = (rows: readonly { n: number }[]) => rows.map(({ n }) => n)

function expectedOf(result: StudyResult): Expected {
  if ('horizons' in result) {
    const [{ series, path, quantiles, turnover, byMonth, byWeekday, byHour, attrition }] = result.horizons
    return {
      'Rank IC by time': { IC: series.rank },
      'Symbols used by time': { Used: series.n },
      'Return by quantile': intervals(quantiles),
      'Cumulative return by quantile': {
        Q1: path.quantiles[0].map((value) => value - 1),
        Spread: path.spread.map((value) => value - 1),
      },
      Decay: { IC: meansOf(result.horizons.map(({ rankIc }) => rankIc.nonOverlapping)) },
      'Turnover by quantile': { Turnover: meansOf(turnover) },
      'Rank IC by month': { IC: meansOf(byMonth) },
      'Rank IC by weekday': { IC: meansOf(byWeekday) },
      'Rank IC by hour': { IC: meansOf(byHour) },
      'Coverage by time': { Members: series.n.map(() => 20) },
      Attrition: { Cells: Object.values(attrition) },
    }
  }
  if ('events' in result) {
    const { path, byMonth, byWeekday, byHour, bySymbol, attrition } = result
    return {
      'Average path': {
        ...intervals(path.map(({ byTime }) => byTime)),
        Mean: meansOf(path),
        'middle half low': path.map(({ q25 }) => q25),
        'middle half high': path.map(({ q75 }) => q75),
      },
      'Events by month': { Events: countsOf(byMonth) },
      'Events by weekday': { Events: countsOf(byWeekday) },
      'Events by hour': { Events: countsOf(byHour) },
      'Events by symbol': { Events: countsOf(bySymbol).sort((a, b) => b - a) },
      Attrition: { Cells: Object.values(attrition) },
    }
  }
  if ('pairs' in result) {
    const ranked = result.pairs.toSorted((a, b) => Math.abs(b.best?.r ?? 0) - Math.abs(a.best?.r ?? 0))
    const [{ a, b, lags }] = ranked
    const ofRow = result.pairs.filter((pair) => pair.a === a)
    return {
      [`${a} and ${b} by lag`]: { r: lags.map(({ r }) => r) },
      'Strongest correlation of each pair': { [b]: [ofRow.find((pair) => pair.b === b)?.best?.r ?? null] },
      Pairs: { r: ranked.map(({ best }) => best?.r ?? null), q: ranked.map(({ best }) => best?.q ?? null) },
    }
  }
  if (result.kind !== 'seasonality') throw new Error(`No figures are expected of ${result.kind}.`)
  const monday = result.cells.filter(({ weekday }) => weekday === 1)
  return {
    'Mean by weekday and hour': { 7: [monday.find(({ hour }) => hour === 7)?.mean ?? null] },
    Cells: { Mean: meansOf(result.cells), q: result.cells.map(({ q }) => q), n: countsOf(result.cells) },
  }
}

/** Keeps the files that the page saves in the page, because Chromium drops more than ten downloads per second. */
function keepSavedFiles(): void {
  const blobs = new Map<string, Blob>()
  const saved: [name: string, content: Blob][] = []
  const { createObjectURL } = URL
  URL.createObjectURL = (content: Blob) => {
    const url = createObjectURL(content)
    blobs.set(url, content)
    return url
  }
  const { click } = HTMLAnchorElement.prototype
  HTMLAnchorElement.prototype.click = function (this: HTMLAnchorElement) {
    const content = blobs.get(this.href)
    if (this.download && content) saved.push([this.download, content])
    else click.call(this)
  }
  Object.assign(globalThis, { saved })
}

type Saved = { saved: [name: string, content: Blob][] }
const savedFiles = (page: Page) => page.evaluate(() => (globalThis as unknown as Saved).saved.length)

/** Presses every export button of the result and waits for the files. */
async function exportAll(page: Page): Promise<Map<string, Buffer>> {
  const labels = await page.locator('.answer').evaluate((root) => {
    const buttons = [...root.querySelectorAll('button')].filter(
      (button) => !button.disabled && /^(CSV|PNG|SVG) of /.test(button.getAttribute('aria-label') ?? ''),
    )
    for (const button of buttons) button.click()
    return buttons.map((button) => button.getAttribute('aria-label')!)
  })
  const ofKind = (kind: string) => labels.filter((label) => label.startsWith(kind)).length
  expect(ofKind('PNG')).toBe(ofKind('SVG'))
  // A CSV comes with a second file, its provenance.
  await expect.poll(() => savedFiles(page), patience).toBe(labels.length + ofKind('CSV'))
  const files = await page.evaluate(async () =>
    Promise.all(
      (globalThis as unknown as Saved).saved.map(async ([name, content]) => {
        const bytes = [...new Uint8Array(await content.arrayBuffer())]
        return [name, btoa(bytes.map((byte) => String.fromCharCode(byte)).join(''))] as const
      }),
    ),
  )
  return new Map(files.map(([name, content]) => [name, Buffer.from(content, 'base64')]))
}

/** Reads the columns of a CSV whose cells contain no commas. */
function columnsOf(text: string): Map<string, string[]> {
  const [header, ...rows] = text.trimEnd().split('\n')
  return new Map(header.split(',').map((name, at) => [name, rows.map((row) => row.split(',')[at])]))
}

it.each([
  ['v06-planted', 'planted.csv'],
  ['v14-events', 'quarter.csv'],
  ['v17-leadlag', 'lead.csv'],
  ['v20-weekdays', 'week.csv'],
])('%s: every figure gives its numbers and pictures, with their origin', async (study, panel) => {
  const [documentPath, path] = [join(data, 'studies', `${study}.json`), join(data, 'panels', panel)]
  let stdout = ''
  const ignored = { write: () => true }
  await run(['study', 'run', documentPath, '--panel', path, '--json', '--data-dir', temporaryFolder()], {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: ignored,
    env: {},
    signal: new AbortController().signal,
  })
  const expected = expectedOf(JSON.parse(stdout) as StudyResult)

  const desk = await openDesk()
  const client = desk.app.clientFor(fakeHost())
  const document = {
    version: 1 as const,
    study: JSON.parse(readFileSync(documentPath, 'utf8')) as Record<string, unknown>,
    panel: { path, against: null },
  }
  const { id } = await client.call('documents.create', { kind: 'study', name: 'Figures', document })
  await client.call('lab.run', { id, document })
  const { page } = await openWindow(desk.host.url, { before: (each) => each.addInitScript(keepSavedFiles) })
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Lab' }).click()
  await page.getByRole('grid', { name: 'Studies' }).getByText('Figures').dblclick(patience)
  await page.getByRole('heading', { name: 'Attrition', exact: true }).waitFor(patience)
  if (study === 'v06-planted') await page.getByRole('heading', { name: 'Coverage by time' }).waitFor(patience)
  const files = await exportAll(page)

  const origins = [...files]
    .filter(([name]) => name.endsWith('.csv.provenance.json'))
    .map(([, bytes]) => JSON.parse(bytes.toString()) as { file: string; title: string; from: string })
  for (const [title, columns] of Object.entries(expected)) {
    const origin = origins.find((each) => each.title === title)
    expect(origin?.from, title).toContain(`Figures · ${panel} · run `)
    const table = columnsOf(files.get(origin!.file)!.toString())
    for (const [column, values] of Object.entries(columns)) {
      const cells = table.get(column)?.map((cell) => (cell === '' ? null : Number(cell)))
      expect(cells?.slice(0, values.length), `${title}: ${column}`).toEqual(values)
    }
  }
  for (const [name, bytes] of files) {
    if (name.endsWith('.svg')) {
      const text = bytes.toString()
      expect(text, name).toContain(`Figures · ${panel} · run `)
      expect(text, name).not.toMatch(/NaN|undefined/)
    } else if (name.endsWith('.png')) {
      expect(bytes.subarray(1, 4).toString()).toBe('PNG')
      expect(bytes.readUInt32BE(16) % WIDTH_PX, name).toBe(0)
    }
  }
})
