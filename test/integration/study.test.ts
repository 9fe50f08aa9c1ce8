import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../electron/cli/run.ts'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { studyDifferences } from '../conformance/compareStudies.ts'

const data = join(import.meta.dirname, '..', 'conformance', 'data', 'studies')
const study = (id: string) => join(data, 'studies', `${id}.json`)
const panel = (name: string) => join(data, 'panels', name)
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

const folder = mkdtempSync(join(tmpdir(), 'perpscope-study-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the CLI; returns its status and its output. */
async function perpscope(...args: string[]) {
  let stdout = ''
  let stderr = ''
  const status = await run([...args, '--data-dir', join(folder, 'data')], {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    env: {},
    signal: new AbortController().signal,
  })
  return { status, stdout, stderr }
}

describe('study run', () => {
  it('prints the whole result, writes its tables, and keeps it for list and show', async () => {
    const out = join(folder, 'tables')
    const args = [study('v06-planted'), '--panel', panel('planted.csv')]
    const { status, stdout } = await perpscope('study', 'run', ...args, '--out', out, '--json')
    expect(status).toBe(0)
    const expected = readJson(join(data, 'expected', 'v06-planted.json'))
    expect(studyDifferences(expected, JSON.parse(stdout))).toEqual([])

    expect(readJson(join(out, 'study.json'))).toMatchObject({ kind: 'signal', horizons: [1, 4, 24] })
    expect(studyDifferences(expected, readJson(join(out, 'result.json')))).toEqual([])
    expect(readdirSync(out)).toEqual(
      expect.arrayContaining(['horizons.csv', 'quantiles.csv', 'series.csv', 'path.csv']),
    )
    expect(readFileSync(join(out, 'byHour.csv'), 'utf8')).toMatch(/^horizon,hour,n,mean,sd\n1,0,/)

    const listed = JSON.parse((await perpscope('study', 'list', '--json')).stdout) as Record<string, unknown>[]
    expect(listed).toEqual([
      {
        id: expect.any(String) as string,
        name: null,
        kind: 'signal',
        lastRun: expect.any(Number) as number,
        documentHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        recorded: true,
      },
    ])
    const shown = await perpscope('study', 'show', String(listed[0].id), '--json')
    expect(studyDifferences(expected, (JSON.parse(shown.stdout) as { result: unknown }).result)).toEqual([])
  })

  it('sums up every kind of study in lines', async () => {
    const signal = await perpscope('study', 'run', study('v01-micro-signal'), '--panel', panel('micro.csv'))
    expect(signal.stdout).toMatch(/HORIZON +N +RANK IC[^]*\n +1 +3 +−0\.3333/)
    const events = await perpscope('study', 'run', study('v02-micro-events'), '--panel', panel('micro.csv'))
    expect(events.stdout).toContain('4 events of 5 true cells')
    const lead = await perpscope('study', 'run', study('v17-leadlag'), '--panel', panel('lead.csv'))
    expect(lead.stdout).toMatch(/P00 +P02 +3 /)
    const along = join(import.meta.dirname, '..', 'fixtures', 'along-time')
    const [series, sticky] = ['v05-series', 'v18-spells'].map((id) => join(along, 'studies', `${id}.json`))
    const rows = (name: string) => ['--panel', join(along, 'panels', name)]
    const tells = await perpscope('study', 'run', series, ...rows('planted.csv'))
    expect(tells.stdout).toMatch(/^[^\n]+\nThe signal tells the next return strongly: IC 0\.318 ± 0\.086 at 1 bar/)
    expect(tells.stdout).toMatch(/SYMBOL +HORIZON +IC .*WOULD HAVE SEEN/)
    const spells = await perpscope('study', 'run', sticky, ...rows('sticky.csv'))
    expect(spells.stdout).toMatch(/^[^\n]+\nThe state was on in 5 spells/)
    const season = await perpscope('study', 'run', study('v19-hour'), '--panel', panel('week.csv'))
    expect(season.stdout).toMatch(/HOUR +N +MEAN/)
  })

  it.each([
    ['an unknown field', ['e01-unknown-field', 'micro.csv'], 2, 'quantile'],
    ['an unknown column', ['e03-unknown-column', 'micro.csv'], 2, 'signl'],
    ['a row off the grid', ['e04-off-grid', 'off-grid.csv'], 1, '1767243600001'],
    ['a file that is not there', ['v01-micro-signal', 'none.csv'], 1, 'none.csv'],
  ])('refuses %s with one sentence and nothing on stdout', async (_, [id, file], status, says) => {
    const found = await perpscope('study', 'run', study(id), '--panel', panel(file), '--json', '--quiet')
    expect(found).toMatchObject({ status, stdout: '' })
    expect(found.stderr).toContain(says)
    expect(found.stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it.each([
    ['has just begun', 0],
    ['is slow', 5000],
  ])('shows no progress before a refusal of a run that %s', async (_, stepMs) => {
    let nowMs = 0
    using _clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += stepMs))
    const found = await perpscope('study', 'run', study('e03-unknown-column'), '--panel', panel('micro.csv'))
    expect(found).toMatchObject({ status: 2, stdout: '' })
    expect(found.stderr).toBe('signal: There is no series signl. Did you mean signal?\n')
  })

  it.each([
    ['cs_winsor(b, c)', 'signal: A constant is needed here, the same for all rows (at c).'],
    ['sma(b, 0)', 'signal: A whole number of rows from 1 to 1000000 is needed here (at 0).'],
    ['cs_rank(1)', 'signal: A series is needed here, not a constant (at 1).'],
    ['b $ c', 'signal: $ has no meaning here.'],
    ['text', 'signal: The column text is not numeric.'],
  ])('names the part of %s that is wrong', async (signal, says) => {
    const [document, rows] = [join(folder, 'formula.json'), join(folder, 'letters.csv')]
    writeFileSync(document, JSON.stringify({ version: 1, kind: 'signal', interval: '1h', price: 'b', signal }))
    writeFileSync(rows, 'time,symbol,b,c,text\n0,A,1,2,x\n')
    const found = await perpscope('study', 'run', document, '--panel', rows, '--quiet')
    expect(found).toMatchObject({ status: 2, stdout: '', stderr: `${says}\n` })
  })

  it.each([
    ['3600000,A', 'rows.csv: row 1 (line 3, time 3600000) has 2 cells; the header has 3.'],
    ['3600000,,1', 'rows.csv: row 1 (line 3, time 3600000): the column symbol is empty.'],
    [
      '3600001,A,1',
      'rows.csv: row 1 is off the grid: its time 3600001 is not a multiple of the interval (3600000 ms).',
    ],
  ])('names the number and the time of the row %s', async (row, says) => {
    const [document, rows] = [join(folder, 'rows.json'), join(folder, 'rows.csv')]
    writeFileSync(document, JSON.stringify({ version: 1, kind: 'signal', interval: '1h', signal: 'close' }))
    writeFileSync(rows, `time,symbol,close\n\n${row}\n`)
    const found = await perpscope('study', 'run', document, '--panel', rows, '--quiet')
    expect(found).toMatchObject({ status: 1, stdout: '', stderr: `${says}\n` })
  })

  it.each([
    ['Time,symbol,close\n0,A,1\n', 'the column time is missing; “Time” must be spelled time.'],
    [
      'time,symbol,close\n2026-01-01 00:00:00,A,1\n',
      'row 1 (line 2): “2026-01-01 00:00:00” in the column time is not a time: write whole milliseconds since 1970, or an instant in UTC such as 2026-03-01T12:00Z.',
    ],
    [
      'time,symbol,close\n1767225601,A,1\n',
      'row 1 is off the grid: its time 1767225601 is not a multiple of the interval (3600000 ms). It looks like seconds; a panel has milliseconds.',
    ],
    ['time,symbol,close,close\n0,A,1,1\n', 'the column close appears twice.'],
    ['time,symbol,close,member\n0,A,1,yes\n', 'row 1 (line 2): “yes” in the column member is not true or false.'],
    ['time,symbol,close\n0,"A,1\n', 'a quote on line 2 is never closed.'],
    ['', 'the file is empty: it needs a header with the columns time and symbol.'],
    ['time,symbol,close\n', 'no row is in the range of the study.'],
  ])('says what is wrong with the panel %j', async (rows, says) => {
    const [document, path] = [join(folder, 'odd.json'), join(folder, 'odd.csv')]
    writeFileSync(document, JSON.stringify({ version: 1, kind: 'signal', interval: '1h', signal: 'close' }))
    writeFileSync(path, rows)
    const found = await perpscope('study', 'run', document, '--panel', path, '--quiet')
    expect(found).toMatchObject({ status: 1, stdout: '', stderr: `odd.csv: ${says}\n` })
  })

  it('refuses a study without rows and a second clock for other kinds', async () => {
    const without = await perpscope('study', 'run', study('v01-micro-signal'))
    expect(without).toMatchObject({ status: 2, stdout: '' })
    expect(without.stderr).toContain('source')
    const clocks = ['--panel', panel('micro.csv'), '--against', panel('micro.csv')]
    const events = await perpscope('study', 'run', study('v02-micro-events'), ...clocks)
    expect(events).toMatchObject({ status: 2, stdout: '' })
    expect(events.stderr).toContain('against')
  })

  it.each([
    ['signal', { signal: 'close', horizons: [1], quantiles: 3 }],
    ['events', { when: 'close > 0' }],
    ['leadlag', {}],
    ['seasonality', {}],
    ['series', { signal: 'close', horizons: [1] }],
    ['spells', { when: 'close > 0', horizons: [1] }],
    ['portfolio', { signal: 'close', funding: 'none', rebalance: { every: '1h' } }],
  ])('needs no range of a study of kind %s that reads a panel in place of its source', async (kind, fields) => {
    const source = { exchanges: ['venuea-futures'], timestamp: 'exchange' }
    const path = join(folder, `${kind}-with-source.json`)
    writeFileSync(path, JSON.stringify({ version: 1, kind, interval: '1h', source, ...fields }))
    const ran = await perpscope('study', 'run', path, '--panel', panel('micro.csv'), '--json')
    expect(ran.status).toBe(0)
    expect(JSON.parse(ran.stdout)).toMatchObject({ warnings: [{ code: 'source-unused' }] })
    expect(await perpscope('study', 'run', path)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^start: is needed/) as string,
    })
  })

  const solo = Array.from(
    { length: 40 },
    (_, hour) => `${Date.UTC(2026, 2, 1, hour)},A,${100 + (hour % 7)},${hour % 3}`,
  )
  const trio = solo.flatMap((line) => ['A', 'B', 'C'].map((name) => line.replace(',A,', `,${name},`)))
  it.each([
    ['signal', 1, { signal: 'signal' }, 'too-few-symbols', /needs 5 symbols .* is 1\..*try a study along time/],
    ['signal', 3, { signal: 'signal' }, 'too-few-symbols', /needs 5 symbols .* is 3\.$/],
    ['signal', 3, { signal: '0 * signal', quantiles: 3 }, 'no-variation', /signal, or the return/],
    ['leadlag', 1, {}, 'too-few-symbols', /needs 2 symbols.*try a study along time/],
    ['leadlag', 3, { value: '0 * signal' }, 'no-variation', /constant along time/],
    ['events', 3, { when: 'signal > 5' }, 'no-events', /true in none/],
    ['events', 1, { when: 'close == 101', delayBars: 39 }, 'no-events', /6 are with an entry beyond the end/],
    ['series', 1, { signal: '0 * signal' }, 'no-variation', /equal along time/],
    ['spells', 3, { when: 'signal > 5' }, 'no-events', /on in none of 120 cells: 120 have a value/],
    ['spells', 1, { when: 'signal > 0', minBars: 9 }, 'no-events', /last fewer bars than minBars/],
    ['portfolio', 1, { signal: 'signal', funding: 'none' }, 'never-traded', /1 decision .* 1 decisions? that closed/],
  ])('says why a study of kind %s of %i symbols has no answer', async (kind, symbols, fields, code, says) => {
    const rows = join(folder, `${symbols}-symbols.csv`)
    writeFileSync(rows, ['time,symbol,close,signal', ...(symbols === 1 ? solo : trio), ''].join('\n'))
    const path = join(folder, 'unanswered.json')
    writeFileSync(path, JSON.stringify({ version: 1, kind, interval: '1h', ...fields }))
    const ran = await perpscope('study', 'run', path, '--panel', rows, '--json')
    expect(ran.status).toBe(0)
    const { warnings } = JSON.parse(ran.stdout) as { warnings: { code: string; message: string }[] }
    expect(warnings.map((one) => one.code)).toEqual([code])
    expect(warnings[0].message).toMatch(says)
    expect(ran.stderr).toContain(warnings[0].message)
  })

  it('refuses a study that is no JSON', async () => {
    const path = join(folder, 'broken.json')
    writeFileSync(path, '{"version": 1,')
    expect(await perpscope('study', 'run', path, '--panel', panel('micro.csv'))).toMatchObject({
      status: 2,
      stdout: '',
    })
  })
})

describe('study panel', () => {
  it.each(['used.csv', 'used.parquet'])('writes rows to %s that give the same result', async (name) => {
    const out = join(folder, name)
    const written = await perpscope('study', 'panel', study('v08-dirty'), '--panel', panel('dirty.csv'), '--out', out)
    expect(written.status).toBe(0)
    expect(existsSync(`${out}.part`)).toBe(false)
    const first = await perpscope('study', 'run', study('v08-dirty'), '--panel', panel('dirty.csv'), '--json')
    const again = await perpscope('study', 'run', study('v08-dirty'), '--panel', out, '--json')
    const horizons = (text: string) => (JSON.parse(text) as { horizons: unknown }).horizons
    expect(horizons(again.stdout)).toEqual(horizons(first.stdout))
  })
})
