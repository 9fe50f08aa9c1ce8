import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '#core/store/store.ts'
import { run } from '../../../electron/cli/run.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { attacks } from '../../fakes/hostileReport.ts'
import { addCachedFile } from '../../fakes/parquetCache.ts'
import { instrumentRow } from '../../fakes/instrumentRow.ts'

let dataDir = ''
const place = (name: string) => join(dataDir, name)

async function perpscope(...args: string[]) {
  let [stdout, stderr] = ['', '']
  const status = await run([...args, '--data-dir', join(dataDir, 'data'), '--offline'], {
    stdout: { write: (text) => (stdout += String(text)) },
    stderr: { write: (text) => (stderr += String(text)) },
    env: {},
    signal: new AbortController().signal,
  })
  return { status, stdout, stderr, lines: stdout.trimEnd().split('\n') }
}

const column = (name: string) => ({
  kind: 'column',
  dataset: 'ohlcv',
  column: name,
  exchange: 'venuea-futures',
  symbol: flowSeries({}).symbol,
  interval: '1h',
  timestamp: 'exchange',
})

const formulaEntry = (id: string, name: string, formula: string, more: object = {}) => ({
  ...{ id, name, source: { kind: 'formula', formula } },
  ...more,
})

/** Panes with all that is drawn beside lines: a condition, fills, and each kind of distribution. */
const markedPanes = [
  {
    id: 'm1',
    title: 'Marked',
    series: [
      formulaEntry('t1', 'c', 'a * 2', { fill: { to: 'series', series: 't2' } }),
      formulaEntry('t2', 'd', 'sma(c, 6)', { fill: { to: 'zero' }, transform: 'cumulative' }),
      formulaEntry('t3', 'e', 'a > 3', { style: 'shade', label: 'High' }),
    ],
  },
  ...['histogram', 'hours', 'weekdays', 'months', 'symbols', 'buckets'].map((distribution, at) => ({
    ...{ id: `q${at}`, title: distribution, distribution },
    series: [formulaEntry(`v${at}`, `v${at}`, 'a'), formulaEntry(`w${at}`, `w${at}`, 'a * a')],
  })),
]

/** Workspace with two panes whose names and notes are as hostile as possible, and marked ones. */
const workspace = {
  format: 'perpscope workspace',
  name: attacks[0],
  document: {
    version: 1,
    panes: [
      {
        id: 'p1',
        title: attacks[1].slice(0, 100),
        series: [{ id: 's1', name: 'a', label: attacks[2], source: column('value') }],
      },
      { id: 'p2', series: [formulaEntry('s2', 'b', 'sma(a, 3)')] },
      ...markedPanes,
    ],
    notes: [{ id: 'n1', timeMs: Date.UTC(2026, 7, 1, 5), text: attacks[3] }],
  },
}

const panelStudy = join(import.meta.dirname, '..', '..', 'conformance', 'data', 'studies')

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'perpscope-record-'))
  const store = openStore({ dataDir: place('data'), clock: fakeClock(), log: fakeLog() })
  const instrument = { exchange: 'venuea-futures', symbol: flowSeries({}).symbol, contract_size: 0.25 }
  store.instruments.replace([instrumentRow(instrument)])
  for (const period of ['2026-08-01', '2026-08-02'])
    addCachedFile(store, place('data'), flowSeries({ dataset: 'ohlcv', interval: '1h' }), period)
  store.close()
  writeFileSync(place('w.perpscope'), JSON.stringify(workspace))
  writeFileSync(place('note.md'), `# Why\n\n${attacks.join('\n\n')}`)
  writeFileSync(
    place('q.sql'),
    `SELECT time, "value", '${attacks[1].replaceAll("'", "''")}' AS "<b>" FROM metrics.ohlcv ORDER BY time`,
  )
  const days = Array.from({ length: 3650 }, (_, at) => new Date(Date.UTC(2016, 0, 1 + at)).toISOString().slice(0, 10))
  writeFileSync(
    place('returns.csv'),
    `date,return\n${days.map((day, at) => `${day},${(Math.sin(at * 7.3) / 50).toFixed(6)}`).join('\n')}\n`,
  )
  copyFileSync(join(panelStudy, 'panels', 'planted.csv'), place('panel.csv'))
})

afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const kinds: [kind: string, args: () => string[]][] = [
  ['workbench', () => ['--workspace', place('w.perpscope')]],
  ['sql', () => ['--file', place('q.sql')]],
  ['study', () => [join(panelStudy, 'studies', 'v06-planted.json'), '--panel', place('panel.csv')]],
  ['tearsheet', () => ['--returns', place('returns.csv'), '--fraction']],
]

describe.each(kinds)('report %s', (kind, args) => {
  it('writes one page that names its sources, is the same bytes again, and replays without a difference', async () => {
    const [file, again] = [place(`${kind}.html`), place(`${kind}-2.html`)]
    const written = await perpscope('report', kind, ...args(), '--out', file, '--note', place('note.md'), '--json')
    expect(written).toMatchObject({ status: 0 })
    const html = readFileSync(file, 'utf8')
    const { sources, ...facts } = JSON.parse(written.stdout) as { sources: { path: string; sha256: string }[] }
    expect(facts).toEqual({ file, bytes: Buffer.byteLength(html), kind })
    expect(sources.length).toBeGreaterThan(0)
    for (const { path, sha256 } of sources) {
      const bytes = readFileSync(existsSync(join(dataDir, 'data', path)) ? join(dataDir, 'data', path) : place(path))
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
      expect(html).toContain(sha256)
    }
    expect(html).not.toContain(dataDir)
    expect(html).not.toMatch(/<(?:img|iframe|base|form|link)\b|<script>(?!'use strict')/)
    if (kind === 'sql' || kind === 'tearsheet') {
      await perpscope('report', kind, ...args(), '--out', again, '--note', place('note.md'))
      expect(readFileSync(again, 'utf8')).toBe(html)
    }
    const replayed = await perpscope('replay', file)
    expect(replayed).toMatchObject({ status: 0, lines: ['0 differences'] })
    expect(replayed.stderr).toContain('Not verified: Note (text of the author of the report)')
  })
})

it('shows in a workbench report how often a condition holds, and the figures of each distribution', () => {
  const titles = [...readFileSync(place('workbench.html'), 'utf8').matchAll(/<h2>([^<]*)<\/h2>/g)].map(
    ([, text]) => text,
  )
  const kinds = ['histogram', 'hours', 'weekdays', 'months', 'symbols', 'buckets']
  expect(titles).toEqual(expect.arrayContaining(['Conditions', ...kinds.map((kind) => `${kind}: distribution`)]))
})

it('names what an edited page hides or adds, and where its files may not come from', async () => {
  const html = readFileSync(place('tearsheet.html'), 'utf8')
  const edited = place('edited.html')
  const replay = async (text: string) => {
    writeFileSync(edited, text)
    const { status, stdout } = await perpscope('replay', edited, '--json')
    return { status, ...(JSON.parse(stdout) as { differences: { at: string; why: string }[]; unverified: object[] }) }
  }
  const hidden = await replay(html.replace('<header>', '<header hidden>').replace('</main>', '<p>Audited</p></main>'))
  expect(hidden.status).toBe(3)
  expect(hidden.differences.map(({ at }) => at)).toEqual(['Sources (text) #3', 'Page › element header hidden'])
  const template = await replay(html.replace('<main>', '<main><template>').replace('</main>', '</template></main>'))
  expect(template).toMatchObject({
    status: 3,
    differences: [{ at: 'Page › element template', why: expect.stringContaining('not write this') as string }],
  })
  const delivered = await replay(html.replace('<td>your own file</td>', '<td>an exchange</td>'))
  expect(delivered).toMatchObject({ status: 0, differences: [] })
  expect(delivered.unverified).toContainEqual({
    at: 'Sources',
    why: 'service and time of fetching of 1 file, which this machine does not know',
  })
})

it('names an edited number', async () => {
  const edited = place('edited.html')
  writeFileSync(
    edited,
    readFileSync(place('tearsheet.html'), 'utf8').replace(/<data value="[^"]*">[^<]+</, '<data value="4711">4711<'),
  )
  const { status, stdout } = await perpscope('replay', edited, '--json')
  const { differences } = JSON.parse(stdout) as { differences: Record<string, unknown>[] }
  expect([status, differences.map(({ was }) => was)]).toEqual([3, ['4711']])
})

it('writes a tear sheet of ten years in at most 2 MB, of numbers that the command prints', async () => {
  const html = readFileSync(place('tearsheet.html'), 'utf8')
  expect(html.length).toBeLessThan(2e6)
  const printed = await perpscope('portfolio', 'tearsheet', '--returns', place('returns.csv'), '--fraction', '--json')
  const known = new Set(printed.stdout.match(/-?\d[\d.]*(?:e-?\d+)?/g))
  // The best and worst periods are numbered.
  for (let rank = 1; rank <= 10; rank++) known.add(String(rank))
  for (const [, value] of html.matchAll(/<data value="([^"]+)"/g)) expect(known).toContain(value)
})

it('reports a study with charts through time, a row for each horizon, and numbers that the command prints', async () => {
  const html = readFileSync(place('study.html'), 'utf8')
  const study = join(panelStudy, 'studies', 'v06-planted.json')
  const { stdout } = await perpscope('study', 'run', study, '--panel', place('panel.csv'), '--json')
  const known = new Set(stdout.match(/-?\d[\d.]*(?:e[+-]?\d+)?/g)?.map(Number))
  // The attrition of the cells is shown as shares too.
  const { horizons } = JSON.parse(stdout) as { horizons: { attrition: Record<string, number> }[] }
  for (const { attrition } of horizons) for (const cells of Object.values(attrition)) known.add(cells / attrition.cells)
  for (const [, value] of html.matchAll(/<data value="([^"]+)"/g)) expect(known).toContain(Number(value))
  const part = (title: string) => html.split(`<section aria-label="${title}"`)[1].split('</section>')[0]
  expect(part('Rank IC through time, horizon of 1 bar')).toContain('<svg')
  expect(part('Growth of 1 by quantile, horizon of 1 bar')).toContain('Quantile 5')
  const headings = part('Horizons')
    .match(/<thead>.*<\/thead>/)?.[0]
    .replace(/<[^>]*>/g, '|')
  expect(headings?.split('|').filter(Boolean).slice(0, 4)).toEqual(['Horizon', 'n', 'Rank IC', 't'])
  const rows = part('Horizons').match(/<tr><td[^>]*><data value="(\d+)">/g)
  expect(rows?.map((row) => /value="(\d+)"/.exec(row)?.[1])).toEqual(['1', '4', '24'])
  expect(part('Growth of 1 by quantile, horizon of 1 bar')).toContain('2026-03-01')
})

it('says the contract size behind a series of a workspace', () => {
  const html = readFileSync(place('workbench.html'), 'utf8')
  expect(html).toContain(`contract size of ${flowSeries({}).symbol} on venuea-futures: 0.25`)
})

it('names a flipped byte, a changed definition and a missing file, and reads republished files as they were', async () => {
  const file = place('workbench.html')
  const html = readFileSync(file, 'utf8')
  const [path] = /files\/[^"<]*2026-08-01\.parquet/.exec(html) ?? ['']
  const source = join(dataDir, 'data', path)
  const bytes = readFileSync(source)

  const other = source.replace('08-01', '08-02')
  copyFileSync(source, `${source}.then`)
  copyFileSync(other, `${source}.new`)
  renameSync(`${source}.new`, source)
  const republished = await perpscope('replay', file)
  expect(republished.lines[0]).toMatch(
    /^0 differences if computed from the original files; [1-9]\d* from the current files$/,
  )
  expect([republished.status, republished.stdout.includes(path)]).toEqual([0, true])

  const kept = join(dataDir, 'data', 'record', 'kept', createHash('sha256').update(bytes).digest('hex'))
  writeFileSync(kept, 'damaged')
  expect([(await perpscope('replay', file)).status, existsSync(kept)]).toEqual([3, false])
  const gone = await perpscope('replay', file, '--json')
  expect(gone.status).toBe(3)
  const answer = JSON.parse(gone.stdout) as { differences: { why: string; source: string }[]; sources: unknown[] }
  expect(answer.differences.some(({ source: named }) => named === path)).toBe(true)
  expect(answer.sources).toContainEqual({ path, state: 'changed' })

  const flipped = Buffer.from(bytes)
  flipped[flipped.length >> 1] ^= 0xff
  writeFileSync(source, flipped)
  expect((await perpscope('replay', file)).stdout).toContain(path)
  rmSync(source)
  const missing = await perpscope('replay', file)
  expect([missing.status, missing.stderr.includes(path), missing.stderr.includes('--fetch')]).toEqual([1, true, true])
  renameSync(`${source}.then`, source)
  expect((await perpscope('replay', file)).lines).toEqual(['0 differences'])

  const newer = place('newer.html')
  writeFileSync(newer, html.replace('"formula.sma":1', '"formula.sma":7'))
  const changed = await perpscope('replay', newer)
  expect([changed.status, changed.stdout]).toEqual([
    3,
    expect.stringContaining('formula.sma changed: version 7 then, 1 now'),
  ])

  const [, version] = /"app":"([^"]+)"/.exec(html)!
  const older = html.replaceAll(version, '0.0.9').replace('stroke-linecap="round"', '$& stroke-dasharray="6 3"')
  writeFileSync(newer, older)
  const otherVersion = await perpscope('replay', newer, '--json')
  const { differences } = JSON.parse(otherVersion.stdout) as { differences: { why: string }[] }
  expect([otherVersion.status, differences.length > 0]).toEqual([3, true])
  for (const { why } of differences) expect(why).toContain('the report says that Perpscope 0.0.9 made it')
})

const part = (id: string, sql: string) => ({
  ...{ id, columns: 4, rows: 4 },
  content: { kind: 'sql' as const, name: id, sql, parameters: {} },
})

it('writes a board without a part that cannot be computed, says so, and ends with status 3', async () => {
  const store = openStore({ dataDir: place('data'), clock: fakeClock(), log: fakeLog() })
  store.documents.board.create('Whole', { version: 1, parts: [part('one', 'SELECT 1 AS a')] })
  store.documents.board.create('Part', {
    version: 1,
    parts: [part('one', 'SELECT 1 AS a'), part('two', 'SELECT nothing')],
  })
  store.close()
  const report = (board: string) => perpscope('report', 'board', board, '--out', place('board.html'), '--quiet')
  expect(await report('Whole')).toMatchObject({ status: 0 })
  expect(await report('Part')).toMatchObject({ status: 3 })
  expect(readFileSync(place('board.html'), 'utf8')).toContain('“two” is not in this report.')
  expect((await perpscope('replay', place('board.html'))).lines).toEqual(['0 differences'])
})

it('ends with status 0 where only the units of a column are warned of', async () => {
  const store = openStore({ dataDir: place('data'), clock: fakeClock(), log: fakeLog() })
  for (const exchange of ['venuea-futures', 'venueb-perps'])
    addCachedFile(store, place('data'), flowSeries({ dataset: 'trade_size', interval: '1h', exchange }), '2026-08-01', [
      { name: 'time', type: 'INT64', data: [BigInt(Date.UTC(2026, 7, 1))] },
      { name: 'volume', type: 'DOUBLE', data: [3] },
    ])
  store.close()
  const sum = 'SELECT sum(volume) AS total FROM metrics.trade_size'
  expect(await perpscope('report', 'sql', sum, '--out', place('units.html'))).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('mixed units') as string,
  })
})

describe('a report of one row from many files', () => {
  const many = (dataset: string) => ({ dataset, interval: '1h', exchange: 'wren-futures' })
  const total = 'SELECT sum("value") AS total FROM metrics.impact'
  const [file, list] = ['many.html', /provenance\/[0-9a-f]{64}\.json/]
  const days = Array.from({ length: 25 }, (_, at) => `2026-07-${String(at + 1).padStart(2, '0')}`)
  const cache = (count: number) => {
    const store = openStore({ dataDir: place('data'), clock: fakeClock(), log: fakeLog() })
    for (const day of days.slice(0, count))
      addCachedFile(store, place('data'), flowSeries(many('impact')), day, [
        { name: 'time', type: 'INT64', data: [BigInt(Date.parse(day))] },
        { name: 'value', type: 'DOUBLE', data: [count] },
      ])
    store.close()
  }
  const differencesOf = async () => {
    const { status, stdout } = await perpscope('replay', place(file), '--json')
    const { differences } = JSON.parse(stdout) as { differences: { at: string; was: string; why: string }[] }
    return { status, places: differences.map(({ at }) => at), why: differences.at(0)?.why }
  }

  it('names their list, replays with and without it, and has them all if wanted', async () => {
    cache(25)
    await perpscope('report', 'sql', total, '--out', place(file))
    const html = readFileSync(place(file), 'utf8')
    const [path] = list.exec(html)!
    expect(html).not.toContain('exchange=wren-futures')
    expect(JSON.parse(readFileSync(join(place('data'), path), 'utf8'))).toHaveLength(25)
    expect(await perpscope('replay', place(file))).toMatchObject({ status: 0, lines: ['0 differences'], stderr: '' })
    rmSync(join(place('data'), path))
    expect(await differencesOf()).toMatchObject({ status: 0, places: [] })

    await perpscope('report', 'sql', total, '--out', place('all.html'), '--provenance', 'full')
    const whole = readFileSync(place('all.html'), 'utf8')
    expect(whole.match(/<th scope="row">files\/[^<]*exchange=wren-futures/g)).toHaveLength(25)
    expect(await perpscope('replay', place('all.html'))).toMatchObject({ status: 0, lines: ['0 differences'] })
  })

  it('says without the list that the files differ, and with it which', async () => {
    cache(24)
    const without = await differencesOf()
    expect(without.status).toBe(3)
    expect(without.places.slice(0, 2)).toEqual(['Sources › list of files › SHA-256', 'Result ›  › total'])
    expect(without.why).toContain('--provenance full')
    await perpscope('report', 'sql', total, '--out', place(file))
    cache(1)
    const changed = await differencesOf()
    expect(changed.places[0]).toMatch(/^Sources › files\/.*2026-07-01\.parquet › SHA-256$/)
  })

  it('names the list of a board, and replays it', async () => {
    const store = openStore({ dataDir: place('data'), clock: fakeClock(), log: fakeLog() })
    store.documents.board.create('Many files', { version: 1, parts: [part('sum', total), part('again', total)] })
    store.close()
    await perpscope('report', 'board', 'Many files', '--out', place('many-board.html'))
    const html = readFileSync(place('many-board.html'), 'utf8')
    expect(html).toMatch(list)
    expect(html).not.toContain('exchange=wren-futures')
    expect(await perpscope('replay', place('many-board.html'))).toMatchObject({ status: 0, lines: ['0 differences'] })
  })
})

it('refuses a file that is not a report, was cut off, or names files outside', async () => {
  const html = readFileSync(place('tearsheet.html'), 'utf8')
  const bad: [text: string, message: RegExp][] = [
    ['<html></html>', /is not a report/],
    [html.slice(0, -30), /was cut off/],
    [html.replaceAll('returns.csv', '/etc/passwd'), /is not valid|not cached/i],
    [html.replaceAll('"file":"returns.csv"', '"file":"C:\\\\x.csv"'), /is not valid/],
  ]
  for (const [text, message] of bad) {
    writeFileSync(place('bad.html'), text)
    const { status, stderr } = await perpscope('replay', place('bad.html'))
    expect([status, stderr]).toEqual([1, expect.stringMatching(message)])
  }
  expect((await perpscope('report', 'sql', 'DROP TABLE x', '--out', place('x.html'))).status).toBe(2)
  expect((await perpscope('report', 'workbench', '--workspace', 'nope', '--out', place('x.html'))).status).toBe(1)
  expect(existsSync(place('x.html'))).toBe(false)
})
