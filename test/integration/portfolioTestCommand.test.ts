import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { studySummary } from '../../electron/cli/study/studySummary.ts'
import { run } from '../../electron/cli/run.ts'
import type { PortfolioResult } from '#shared/lab/portfolio/testResult.ts'
import { afterAll, describe, expect, it } from 'vitest'
import { readParquet } from '../fakes/readParquet.ts'
import { testDifferences } from '../conformance/comparePortfolioTests.ts'

const data = join(import.meta.dirname, '..', 'conformance', 'data', 'portfolio-tests')
const caseFile = (id: string, name: string) => join(data, id, name)
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

const folder = mkdtempSync(join(tmpdir(), 'perpscope-portfolio-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the CLI on a data folder; returns its status and its output. */
async function perpscope(dataDir: string, ...args: string[]) {
  let stdout = ''
  let stderr = ''
  const status = await run([...args, '--data-dir', join(folder, dataDir)], {
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stderr += text) },
    env: {},
    signal: new AbortController().signal,
  })
  return { status, stdout, stderr }
}

const entriesOf = async (dataDir: string) =>
  (JSON.parse((await perpscope(dataDir, 'ledger', 'list', '--json')).stdout) as { entries: Record<string, unknown>[] })
    .entries

describe('study run of a tested portfolio', () => {
  const panel = caseFile('v01-worked-example', 'panel.csv')
  const study = caseFile('v01-worked-example', '1.test.json')

  it('prints the whole result, records it first, and keeps it for list and show', async () => {
    const out = join(folder, 'tables')
    const ran = await perpscope('one', 'study', 'run', study, '--panel', panel, '--bars', '--json', '--out', out)
    expect(ran.status).toBe(0)
    const expected = readJson(caseFile('v01-worked-example', '1.expected.json'))
    expect(testDifferences(expected, JSON.parse(ran.stdout), 1000)).toEqual([])
    expect(readFileSync(join(out, 'days.csv'), 'utf8')).toMatch(/^day,net,gross,equity,price,.*\n2026-01-02,-0\.001/)
    expect(readdirSync(out)).toEqual(
      expect.arrayContaining(['bars.csv', 'days.csv.provenance.json', 'symbols.csv', 'study.json', 'result.json']),
    )
    const weights = readJson(join(out, 'weights.json')) as { data: number[][]; index: string[]; columns: string[] }
    expect(weights).toMatchObject({ index: ['2026-01-02', '2026-01-03', '2026-01-04'], columns: ['A', 'B'] })
    // The test buys and sells 0.5 × 1000 on 2 January and pays a fee of 1.
    expect(weights.data[0]).toEqual([expect.closeTo(500 / 999, 12), expect.closeTo(-500 / 999, 12)])
    const stored = await readParquet(new Uint8Array(readFileSync(join(out, 'weights.parquet'))))
    expect(stored.numbers('A')).toEqual(weights.data.map(([a]) => a))
    const days = await readParquet(new Uint8Array(readFileSync(join(out, 'days.parquet'))))
    expect(days.numbers('equity')[2]).toBeCloseTo(1202.13706608, 6)
    expect(JSON.parse(ran.stdout)).not.toHaveProperty('dailyWeights')
    expect(await entriesOf('one')).toMatchObject([
      { sequence: 1, event: 'run', role: 'test', who: 'cli', isTrial: true },
    ])
    const shown = JSON.parse((await perpscope('one', 'ledger', 'show', '1', '--json')).stdout) as object
    expect(shown).toMatchObject({
      inputs: [{ name: 'panel.csv', bytes: 242 }],
      returns: { firstDay: '2026-01-02', net: [expect.closeTo(-0.001, 12), expect.anything(), expect.anything()] },
    })
    const [listed] = JSON.parse((await perpscope('one', 'study', 'list', '--json')).stdout) as Record<string, unknown>[]
    expect(listed).toMatchObject({ kind: 'portfolio', recorded: true })
    const lines = await perpscope('one', 'study', 'show', String(listed.id))
    expect(lines.stdout).toMatch(/Total return +20\.21 % +21\.03 %[^]*Trials N +1\n/)
    // Events that never happened have no line.
    expect(lines.stdout).toMatch(/\nREASON +COUNT\nBars +4\nDecisions +4\n$/)
    const verified = await perpscope('one', 'ledger', 'verify')
    expect(verified).toMatchObject({ status: 0, stdout: '1 entry; no problems found\n' })
  })

  it('compares a test with another on the days that both have, and says what cannot be compared', async () => {
    const rows = caseFile('v03-rank-daily', 'panel.csv')
    const document = readJson(caseFile('v03-rank-daily', '1.test.json')) as object
    const runs = { Costly: { costs: { feeBps: 50 }, end: '2026-02-10' }, Cheap: { costs: { feeBps: 0 } } }
    const results: Record<string, PortfolioResult> = {}
    for (const [name, fields] of Object.entries(runs)) {
      const path = join(folder, `${name}.json`)
      writeFileSync(path, JSON.stringify({ ...document, name, ...fields }))
      const ran = await perpscope('compared', 'study', 'run', path, '--panel', rows, '--json')
      results[name] = JSON.parse(ran.stdout) as PortfolioResult
    }
    const { Costly: costly, Cheap: cheap } = results
    const [a, b] = [costly, cheap].map(({ documentHash }) => documentHash.slice(0, 12))
    const compare = (...args: string[]) => perpscope('compared', 'study', 'compare', ...args)
    const found = JSON.parse((await compare(b, '--test', a, '--json')).stdout) as Record<string, unknown>
    expect(costly.days.length).toBeLessThan(cheap.days.length)
    expect(found).toMatchObject({
      test: { id: b, name: 'Cheap', trials: 2 },
      other: { kind: 'test', id: a, name: 'Costly' },
      ...{ days: costly.days.length, firstDay: costly.days[0], lastDay: '2026-02-10' },
      figures: { other: { totalReturn: expect.closeTo(costly.figures.net.totalReturn!, 12) as number } },
      against: { commonDays: costly.days.length },
    })
    // The first test's figures cover only the days that both tests have.
    const product = costly.days.reduce((value, day) => value * (1 + cheap.net[cheap.days.indexOf(day)]), 1)
    expect(found).toMatchObject({ figures: { test: { totalReturn: expect.closeTo(product - 1, 12) as number } } })
    const lines = (await compare(b, '--test', a)).stdout
    expect(lines).toMatch(/^Net returns on \d+ common days, .* to 2026-02-10\n\nFIGURE +Cheap +Costly\n/)
    expect(lines).toMatch(/\nAGAINST Costly +VALUE +DEFINITION\nBeta +\d/)
    expect(await compare(b)).toMatchObject({ status: 2, stdout: '' })
    expect(await compare(b, '--test', a, '--ticker', 'BTC')).toMatchObject({ status: 2, stdout: '' })
    expect(await compare(b, '--test', 'nothing')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('There is no study nothing') as string,
    })
  })

  it('prints how large trades were beside the volume, and the figures without the scaling of the exposure', async () => {
    const sized = (name: string) => caseFile('v07-square-root-slippage', name)
    const ran = await perpscope('sized', 'study', 'run', sized('1.test.json'), '--panel', sized('panel.csv'), '--json')
    const result = JSON.parse(ran.stdout) as PortfolioResult
    const lines = studySummary(result).join('\n')
    expect(lines).toMatch(/^It lost 11\.3 % of the capital: /m)
    expect(lines).toMatch(/^Participation, p95 +1\s810\.86 %/m)
    expect(lines).toContain('329.32 % of the volume of its bar')
    expect(lines).not.toContain('WITHOUT SCALING')
    const { gross, net } = result.figures
    const swapped = studySummary({ ...result, unscaled: { net: gross, gross: net } }).join('\n')
    expect(swapped).toMatch(/FIGURE +NET +GROSS +WITHOUT SCALING\nTotal return +−11\.35 % +6\.94 % +6\.94 %/)
  })

  it('refuses wrong use and bad documents with one sentence, and records nothing', async () => {
    const uses: [string[], number, string][] = [
      [['study', 'run', study, '--panel', panel, '--open-holdout'], 2, 'holdout'],
      [['study', 'run', study, '--panel', panel, '--against', panel], 2, 'against'],
      [['study', 'run', study, '--panel', panel, '--part', '3/2'], 2, '--part'],
      [['study', 'run', study, '--panel', panel, '--part', '1/2'], 2, 'parameters'],
      [['study', 'run', study, '--panel', join(folder, 'none.csv')], 1, 'none.csv'],
      [['study', 'run', caseFile('v13-refused', '4.test.json'), '--panel', panel], 2, 'close2'],
      [['ledger', 'show', '7'], 1, '7'],
      [['ledger', 'reset', '--reason', ' '], 2, '--reason'],
    ]
    for (const [args, status, says] of uses) {
      const found = await perpscope('refused', ...args, '--json', '--quiet')
      expect(found).toMatchObject({ status, stdout: '' })
      expect(found.stderr).toContain(says)
    }
    expect(await entriesOf('refused')).toEqual([])
  })

  it('shows no amount that is beyond all numbers as a figure', async () => {
    const file = join(folder, 'beyond.csv')
    const rows = ['1e-300', '1e308', '1e-300'].map((price, at) => `2026-01-0${at + 1}T00:00:00Z,A,${price},0.5,0`)
    writeFileSync(file, ['time,symbol,close,signal,funding', ...rows, ''].join('\n'))
    const own = join(folder, 'beyond.test.json')
    const document = { version: 1, kind: 'portfolio', interval: '1d', signal: 'signal', price: 'close' }
    writeFileSync(own, JSON.stringify({ ...document, weights: { rule: 'direct' }, delayBars: 0 }))
    const out = join(folder, 'beyond-tables')
    const ran = await perpscope('beyond', 'study', 'run', own, '--panel', file, '--out', out)
    expect(ran.status).toBe(0)
    const [stored] = JSON.parse((await perpscope('beyond', 'study', 'list', '--json')).stdout) as { id: string }[]
    const shown = await perpscope('beyond', 'study', 'show', String(stored.id))
    for (const { stdout } of [ran, shown]) expect(stdout).toMatch(/Price +– +–\nFunding/)
    expect(readFileSync(join(out, 'symbols.csv'), 'utf8')).toMatch(/\nA,,,/)
    expect(ran.stdout + readFileSync(join(out, 'days.csv'), 'utf8')).not.toMatch(/NaN|Infinity/)
  })

  it('says how rows without funding are tested, what net leaves out, and that nothing was ever held', async () => {
    const rows = join(folder, 'still.csv')
    const lines = ['2026-01-01', '2026-01-02', '2026-01-03'].map((day) => `${day}T00:00Z,A,100,1`)
    writeFileSync(rows, ['time,symbol,close,signal', ...lines, ''].join('\n'))
    const runWith = (fields: object) => {
      const path = join(folder, 'still.json')
      const document = { version: 1, kind: 'portfolio', interval: '1d', signal: 'signal', price: 'close', ...fields }
      writeFileSync(path, JSON.stringify(document))
      return perpscope('still', 'study', 'run', path, '--panel', rows)
    }
    const refused = await runWith({})
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toMatch(
      /^fundingRate: There is no series funding.*funding to "none" \(no funding is paid\) or "zero"/,
    )
    // A single symbol has no rank relative to others, so every weight is 0.
    const { stdout } = await runWith({ funding: 'none' })
    expect(stdout).toContain('It never held a position')
    for (const part of ['Funding is switched off', 'No spread is given', 'No slippage is given'])
      expect(stdout).toContain(part)
    await runWith({ funding: 'none' })
    // A run that never traded is recorded, but is no trial.
    expect(await entriesOf('still')).toMatchObject([
      { sequence: 1, role: 'test', isTrial: false, repeats: null },
      { sequence: 2, role: 'test', isTrial: false, repeats: 1 },
    ])
  })

  it('says that the seal leaves no row', async () => {
    const sealed = join(folder, 'sealed.json')
    writeFileSync(sealed, JSON.stringify({ ...(readJson(study) as object), holdout: { fromDay: '2020-01-01' } }))
    const refused = await perpscope('sealed', 'study', 'run', sealed, '--panel', panel)
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('panel.csv: every row in the range of the study is sealed; open the holdout')
    expect(await entriesOf('sealed')).toEqual([])
  })

  it('records studies of other kinds, which are no trials', async () => {
    const signal = join(data, '..', 'studies', 'studies', 'v01-micro-signal.json')
    const rows = join(data, '..', 'studies', 'panels', 'micro.csv')
    expect((await perpscope('kinds', 'study', 'run', signal, '--panel', rows, '--json')).status).toBe(0)
    expect(await entriesOf('kinds')).toMatchObject([{ kind: 'signal', role: 'study', isTrial: false, summary: null }])
  })

  it('runs the parts of a grid on several machines and brings them together', async () => {
    const grid = caseFile('v10-walk-forward', '1.test.json')
    const rows = caseFile('v10-walk-forward', 'panel.csv')
    const parts = await Promise.all(
      [1, 2, 3].map((part) =>
        perpscope(`part${part}`, 'study', 'run', grid, '--panel', rows, '--part', `${part}/3`, '--json'),
      ),
    )
    expect(parts.map(({ status }) => status)).toEqual([0, 0, 0])
    expect(JSON.parse(parts[1].stdout)).toMatchObject({
      part: 2,
      of: 3,
      combinations: 3,
      grid: [{ parameters: { n: 3 } }],
    })
    for (const part of [1, 2, 3]) {
      const merged = await perpscope('whole', 'ledger', 'merge', join(folder, `part${part}`, 'ledger.jsonl'), '--json')
      expect(JSON.parse(merged.stdout)).toEqual({ entries: 1, added: 1 })
    }
    const whole = await perpscope('whole', 'study', 'run', grid, '--panel', rows, '--json')
    expect(
      testDifferences(readJson(caseFile('v10-walk-forward', '1.expected.json')), JSON.parse(whole.stdout), 1e6),
    ).toEqual([])
    const entries = await entriesOf('whole')
    expect(entries.map(({ role, chain }) => [role, chain !== undefined])).toEqual([
      ['combination', true],
      ['combination', true],
      ['combination', true],
      ['walk-forward', false],
    ])
    // Running the same grid again records its combinations as repetitions.
    await perpscope('whole', 'study', 'run', grid, '--panel', rows, '--json')
    expect((await entriesOf('whole')).slice(4)).toMatchObject([
      { role: 'combination', isTrial: false, repeats: 1 },
      { role: 'combination', isTrial: false },
      { role: 'combination', isTrial: false },
      { role: 'walk-forward', repeats: 1 },
    ])
  })

  it('refuses a grid with a combination that cannot be computed before any is recorded', async () => {
    const path = join(folder, 'grid.json')
    const document = { ...(readJson(caseFile('v10-walk-forward', '1.test.json')) as object), parameters: { n: [3, 0] } }
    writeFileSync(path, JSON.stringify(document))
    const found = await perpscope('grid', 'study', 'run', path, '--panel', caseFile('v10-walk-forward', 'panel.csv'))
    expect(found).toMatchObject({ status: 2, stdout: '' })
    expect(await entriesOf('grid')).toEqual([])
  })
})
