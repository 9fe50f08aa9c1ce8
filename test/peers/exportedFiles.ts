import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Snippet } from '#shared/contract/areas/series.ts'
import { outgrowing } from '../../renderer/views/guide/sections/outgrowing.ts'
import { BTC, downloadWorld } from '../fakes/downloadWorld.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

export const day = (text: string) => Date.parse(`${text}T00:00:00Z`)

/** Columns by name, a missing value null. */
export type Columns = Record<string, (number | null)[]>

/** The series that every proof reads: an hourly one in a month and a day, beside which lies one of minutes. */
const hourly = { dataset: 'vtwap', interval: '1h' }
const minutes = { dataset: 'flow', interval: '1m' }
const where = { exchange: 'venuea-futures', symbol: BTC, timestamp: 'exchange' as const }
/** Begins and ends inside of a file. */
const range = { startMs: day('2026-07-30') + 3_600_000, endMs: day('2026-08-01') + 7_200_000 }

/** Whole milliseconds in all files, or timestamps of several kinds in some of them. */
export const timesInFiles = ['of one type', 'of mixed types'] as const

/** A cache filled by downloads, its Hive export, and what our own reader makes of it. */
export async function exportedFiles(times: (typeof timesInFiles)[number] = 'of one type') {
  const { app, client, fetch, sandbox, dataDir, connectionId } = await downloadWorld()
  const later = (time: 'us' | 'ns' | 'naiveUs') => times === 'of mixed types' && sandbox.setFaults({ files: { time } })
  await fetch({ datasets: ['flow'], intervals: ['1m'], startDay: '2026-08-01', endDay: '2026-08-01' })
  await fetch({ datasets: ['vtwap'], startDay: '2026-07-01', endDay: '2026-07-31' })
  later('naiveUs')
  await fetch({ datasets: ['vtwap'], startDay: '2026-08-01', endDay: '2026-08-01' })
  later('ns')
  await fetch({ datasets: ['flow'], intervals: ['1m'], startDay: '2026-08-02', endDay: '2026-08-02' })
  later('us')
  await fetch({ datasets: ['vtwap'], startDay: '2026-08-02', endDay: '2026-08-02' })
  const folder = join(temporaryFolder(), 'exported')
  const host = {
    ...fakeHost(),
    async saveFolder(name: string, write: (path: string) => Promise<void>) {
      await write(folder)
      return { name, path: folder }
    },
  }
  const wide = { startMs: null, endMs: null }
  await app.clientFor(host).call('series.exportHive', { connectionId, kind: 'metrics', ...wide })

  const read = async (series: typeof hourly, columns: string[], from: number, to: number): Promise<Columns> => {
    const { rows } = await client.call('series.read', {
      connectionId,
      ...where,
      ...series,
      columns,
      startMs: from,
      endMs: to,
    })
    return Object.fromEntries(
      rows.columns.map(({ name, values, valid }) => [
        name,
        Array.from(values as ArrayLike<number>, (value, row) => (valid?.[row] === 0 ? null : Number(value))),
      ]),
    )
  }
  const columns = ['vwap', 'twap']
  const question = { connectionId, ...where, ...hourly, columns, ...range, variable: 'df' }
  return {
    /** Folder of the export, whose README has commands to be run in it. */
    folder,
    /** What the guide calls CACHE. */
    cache: join(dataDir, 'files', connectionId),
    columns,
    /** The hourly series in a range that begins and ends inside of files, by our own reader. */
    rows: await read(hourly, columns, range.startMs, range.endMs),
    /** The series of minutes by our own reader, all columns. */
    minutes: await read(minutes, [], day('2026-08-01'), day('2026-08-03')),
    /** The app's snippet that reads the hourly series. */
    async snippet(name: Snippet['name']) {
      const all = await client.call('series.snippets', question)
      return all.find((snippet) => snippet.name === name)!.text
    },
    readme: (heading: string) => codeUnder(join(folder, 'README.md'), heading),
  }
}

/** The guide's code for an engine, with the cache's folder in it. */
export function guideCode(heading: string, cache: string): string {
  const { blocks } = outgrowing
  const at = blocks.findIndex((block) => typeof block === 'object' && 'heading' in block && block.heading === heading)
  const block = blocks.slice(at + 1).find((each) => typeof each === 'object' && 'code' in each)
  if (at < 0 || !block || typeof block !== 'object' || !('code' in block)) throw new Error(`no code under ${heading}`)
  return block.code.replaceAll('CACHE', cache)
}

/** Equal column by column, bit by bit, a missing value in the same places. */
export function expectSameRows(found: unknown, ours: Columns): void {
  expect(Object.keys(found as Columns).toSorted()).toEqual(Object.keys(ours).toSorted())
  for (const [name, values] of Object.entries(ours)) expect((found as Columns)[name], name).toEqual(values)
}

/** The sum of a column, what is missing left out. */
export const sumOf = (values: (number | null)[]) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

/** The first block of code below a heading of a Markdown file. */
function codeUnder(path: string, heading: string): string {
  const text = readFileSync(path, 'utf8')
  const code = new RegExp(`## ${heading}\\n\\n\`\`\`\\w+\\n([^]*?)\n\`\`\``).exec(text)?.[1]
  if (!code) throw new Error(`The README has no code under ${heading}.`)
  return code
}
