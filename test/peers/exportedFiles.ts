import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Snippet } from '#shared/contract/areas/series.ts'
import { outgrowing } from '../../renderer/views/guide/sections/outgrowing.ts'
import { BTC, downloadWorld } from '../fakes/downloadWorld.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

export const day = (text: string) => Date.parse(`${text}T00:00:00Z`)

/** Columns by name; a missing value is null. */
export type Columns = Record<string, (number | null)[]>

/** Series that every proof reads: an hourly one with a monthly and two daily files; a minute series lies beside it. */
const hourly = { dataset: 'vtwap', interval: '1h' }
const minutes = { dataset: 'flow', interval: '1m' }
const where = { exchange: 'venuea-futures', symbol: BTC, timestamp: 'exchange' as const }
/** Time range that begins and ends inside files. */
const range = { startMs: day('2026-07-30') + 3_600_000, endMs: day('2026-08-01') + 7_200_000 }

/** Kinds of times in the files: whole milliseconds in all files, or various kinds of timestamps in some files. */
export const timesInFiles = ['of one type', 'of mixed types'] as const

/** Opens a cache that downloads have filled; returns its Hive export and the rows that our own reader reads from it. */
export async function exportedFiles(times: (typeof timesInFiles)[number] = 'of one type') {
  const { app, client, fetch, sandbox, dataDir, connectionId } = await downloadWorld()
  const writeTimesAs = (time: 'us' | 'ns' | 'naiveUs') =>
    times === 'of mixed types' && sandbox.setFaults({ files: { time } })
  await fetch({ datasets: ['flow'], intervals: ['1m'], startDay: '2026-08-01', endDay: '2026-08-01' })
  await fetch({ datasets: ['vtwap'], startDay: '2026-07-01', endDay: '2026-07-31' })
  writeTimesAs('naiveUs')
  await fetch({ datasets: ['vtwap'], startDay: '2026-08-01', endDay: '2026-08-01' })
  writeTimesAs('ns')
  await fetch({ datasets: ['flow'], intervals: ['1m'], startDay: '2026-08-02', endDay: '2026-08-02' })
  writeTimesAs('us')
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
    /** Folder of the export; the commands in its README must run in this folder. */
    folder,
    /** Folder that the guide calls CACHE. */
    cache: join(dataDir, 'files', connectionId),
    columns,
    /** Rows of the hourly series as our own reader reads them, in a range that begins and ends inside files. */
    rows: await read(hourly, columns, range.startMs, range.endMs),
    /** All columns of the minute series as our own reader reads them. */
    minutes: await read(minutes, [], day('2026-08-01'), day('2026-08-03')),
    /** Returns the app's snippet of this name, which reads the hourly series. */
    async snippet(name: Snippet['name']) {
      const all = await client.call('series.snippets', question)
      return all.find((snippet) => snippet.name === name)!.text
    },
    readme: (heading: string) => codeUnder(join(folder, 'README.md'), heading),
  }
}

/** Returns the guide's code for an engine, with the cache's folder filled in. */
export function guideCode(heading: string, cache: string): string {
  const { blocks } = outgrowing
  const at = blocks.findIndex((block) => typeof block === 'object' && 'heading' in block && block.heading === heading)
  const block = blocks.slice(at + 1).find((each) => typeof each === 'object' && 'code' in each)
  if (at < 0 || !block || typeof block !== 'object' || !('code' in block)) throw new Error(`no code under ${heading}`)
  return block.code.replaceAll('CACHE', cache)
}

/** Checks that two sets of columns are equal bit by bit, with missing values in the same places. */
export function expectSameRows(found: unknown, ours: Columns): void {
  expect(Object.keys(found as Columns).toSorted()).toEqual(Object.keys(ours).toSorted())
  for (const [name, values] of Object.entries(ours)) expect((found as Columns)[name], name).toEqual(values)
}

/** Returns the sum of a column without its missing values. */
export const sumOf = (values: (number | null)[]) => values.reduce<number>((sum, value) => sum + (value ?? 0), 0)

/** Returns the first block of code below a heading of a Markdown file. */
function codeUnder(path: string, heading: string): string {
  const text = readFileSync(path, 'utf8')
  const code = new RegExp(`## ${heading}\\n\\n\`\`\`\\w+\\n([^]*?)\n\`\`\``).exec(text)?.[1]
  if (!code) throw new Error(`The README has no code under ${heading}.`)
  return code
}
