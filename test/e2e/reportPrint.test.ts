import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { plainNumber, type ReportCell, reportTime, type ReportTable } from '#shared/report/reportContent.ts'
import { reportHtml } from '#shared/report/reportHtml.ts'
import { hostilePage } from '../fakes/hostileReport.ts'
import { artifactsDir, openBlankPage, useBrowser } from './harness.ts'

useBrowser()

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64')
const MM = 96 / 25.4
/** Widths of pages within their margins, in pixels. */
const pages = { portrait: Math.floor((210 - 24) * MM), landscape: Math.floor((279.4 - 24) * MM) }

const table = (title: string, columns: number, cell: (column: number) => ReportCell): ReportTable => ({
  ...{ kind: 'table', title, columns: Array.from({ length: columns }, (_, at) => `Deviation ${at}`) },
  rows: [0, 1].map(() => Array.from({ length: columns }, (_, at) => (at === 0 ? 'perpetual-BTC-USDT:USDT' : cell(at)))),
})
const numbers = [3.5, 1_608_011.18, -123_456_789.5, 123_456_789_012_345]
const parts = [
  ...[3, 9, 13, 17, 40].flatMap((columns) =>
    numbers.map((value) => table(`${columns} of ${value}`, columns, () => plainNumber(value))),
  ),
  table('Times', 9, (at) => (at % 2 ? '2026-08-02T23:00:00.123Z' : plainNumber(-123_456_789.5))),
  table('Instants', 6, () => reportTime(Date.UTC(2026, 7, 2, 23))),
  table('Texts', 12, () => 'zscore(sma(a,24)/std(a,24),240)+rollcorr(a,b,48)*1000000'),
]

it('prints no part of a report wider than a page of A4 or Letter', async () => {
  const page = hostilePage(hashOf)
  mkdirSync(artifactsDir, { recursive: true })
  const path = join(artifactsDir, 'print.html')
  writeFileSync(path, reportHtml({ ...page, content: { ...page.content, parts: [...page.content.parts, ...parts] } }))
  const report = await openBlankPage()
  await report.emulateMedia({ media: 'print' })
  await report.goto(pathToFileURL(path).href)
  for (const [orientation, width] of Object.entries(pages)) {
    await report.setViewportSize({ width, height: 1000 })
    const wide = await report.evaluate(
      (isLandscape) =>
        [...document.querySelectorAll('section')]
          .filter((section) => (section.querySelector('.widest') !== null) === isLandscape)
          .flatMap((section) =>
            [...section.querySelectorAll('*')]
              .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
              .map(
                (each) =>
                  `${section.getAttribute('aria-label')}: ${each.tagName} ${each.getBoundingClientRect().right}`,
              ),
          ),
      orientation === 'landscape',
    )
    expect(wide.slice(0, 5)).toEqual([])
  }
  await report.close()
})
