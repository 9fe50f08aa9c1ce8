import type { FileContent } from '#core/ports.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LabResult } from '#shared/lab/labResult.ts'
import type { LabDocument } from '#shared/contract/areas/lab.ts'
import { columnOf, type Frame } from '#shared/contract/frame.ts'
import { studyReport } from '#shared/report/studyReport.ts'
import { testDifferences } from '../conformance/comparePortfolioTests.ts'
import { openWorld } from '../contract/world.ts'
import { fakeHost } from '../fakes/fakePorts.ts'

const data = join(import.meta.dirname, '..', 'conformance', 'data', 'portfolio-tests')
const readJson = (...path: string[]): unknown => JSON.parse(readFileSync(join(data, ...path), 'utf8'))

const documentOf = (id: string, number = 1): LabDocument => ({
  version: 1,
  study: readJson(id, `${number}.test.json`) as Record<string, unknown>,
  panel: { path: join(data, id, 'panel.csv'), against: null },
})

async function openLab() {
  const saved: { name: string; bytes: Buffer; companion?: string }[] = []
  const { client } = await openWorld((app) => ({
    client: app.clientFor({
      ...fakeHost(),
      async save({ name, companion }, open) {
        const bytesOf = async (content: FileContent) => {
          const chunks: Buffer[] = []
          for await (const piece of content) chunks.push(Buffer.from(piece))
          return Buffer.concat(chunks)
        }
        const text = companion && (await bytesOf(companion.open())).toString()
        saved.push({ name, bytes: await bytesOf(open()), ...(text !== undefined && { companion: text }) })
        return { name, path: null }
      },
    }),
    drop: null,
    sendRaw: null,
    close() {},
  }))
  const create = async (name: string, document: LabDocument) => {
    const { id } = await client.call('documents.create', { kind: 'study', name, document })
    return id
  }
  return { client, create, saved }
}

/** Builds the report of a result; returns its title and the lines of its parts by title. */
function reportLines(result: LabResult) {
  const { title, parts } = studyReport(result)
  const linesOf = (name: string) =>
    parts.flatMap((part) => (part.kind === 'text' && part.title === name ? part.lines : []))
  return { title, linesOf }
}

describe('a tested portfolio of the Lab', () => {
  it('says which trial it will become, is recorded before its answer, and keeps both', async () => {
    const { client, create, saved } = await openLab()
    const document = documentOf('v01-worked-example')
    expect(await client.call('lab.trial', { document })).toMatchObject({ first: 1, count: 1, repeats: null })
    const id = await create('Two symbols', document)
    const answer = await client.call('lab.run', { id, document })
    if (answer.result.kind !== 'portfolio') return expect.unreachable()
    const { study, ...result } = answer.result
    const { bars: _bars, ...expected } = readJson('v01-worked-example', '1.expected.json') as Record<string, unknown>
    expect(testDifferences({ ...expected, study: undefined }, { ...result, study: undefined }, 1000)).toEqual([])
    expect(study.name).toBe('Two symbols')
    expect(await client.call('lab.answer', { id })).toEqual(answer)
    expect((await client.call('documents.list', { kind: 'study' }))[0]).toMatchObject({
      kind: 'portfolio',
      ranAt: answer.ranAt,
    })
    expect(await client.call('lab.trial', { document })).toMatchObject({ first: 2, familyTrials: 1, repeats: 1 })

    await client.call('lab.exportTest', { id, table: 'days', format: 'csv' })
    await client.call('lab.exportTest', { id, table: 'weights', format: 'csv' })
    await client.call('lab.exportTest', { id, table: 'weights', format: 'parquet' })
    expect(saved.map(({ name }) => name)).toEqual([
      'Two symbols-days.csv',
      'Two symbols-weights.csv',
      'Two symbols-weights.parquet',
    ])
    expect(saved[0].bytes.toString()).toMatch(/^day,net,gross,equity,price,.*\n2026-01-02,-0\.001/)
    expect(saved[1].bytes.toString()).toMatch(/^day,A,B\n2026-01-02,0\.5005/)
    expect(saved[2].bytes.subarray(0, 4).toString()).toBe('PAR1')
    expect(saved[2].bytes.toString()).toContain(`"documentHash": "${answer.result.documentHash}"`)
    const provenance = JSON.parse(saved[0].companion!) as Record<string, unknown>
    expect(provenance).toMatchObject({ origin: 'tested portfolio of the Lab', test: 'Two symbols', table: 'days' })
    expect(provenance).toMatchObject({ ledger: { sequence: 1 }, inputs: [{ name: 'panel.csv' }], trials: 1 })
  })

  it('runs a grid with progress, and its trials stand in the ledger with their distribution', async () => {
    const { client, create } = await openLab()
    const document = documentOf('v10-walk-forward')
    expect(await client.call('lab.trial', { document })).toMatchObject({ first: 1, count: 3, recorded: 0 })
    const id = await create('Grid', document)
    const done: number[] = []
    const { result } = await client.call(
      'lab.run',
      { id, document },
      { onProgress: ({ done: share }) => void done.push(share) },
    )
    if (result.kind !== 'portfolio') return expect.unreachable()
    expect(result.walkForward?.grid).toHaveLength(3)
    expect(done.at(-1)).toBe(1)
    const overview = await client.call('ledger.overview', {})
    expect(overview).toMatchObject({ trials: 3, entries: 4, reset: null, lost: null })
    expect(overview.families).toMatchObject([{ name: 'Grid', trials: 3, rule: 'rank', signal: 'sma(signal, {n})' }])
    const { family, best, median } = overview.families[0]
    expect(best).toBeGreaterThan(median!)
    const { entries, distribution } = await client.call('ledger.family', { family })
    expect(entries.map(({ role, sequence }) => [sequence, role])).toEqual([
      [4, 'walk-forward'],
      [3, 'combination'],
      [2, 'combination'],
      [1, 'combination'],
    ])
    expect(distribution?.trials).toBe(3)
    expect(distribution!.noise.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(2.9)
    expect(await client.call('ledger.verify', {})).toEqual({ entries: 4, broken: null, notices: [] })
  })

  it('says what a cancelled grid has recorded, and goes on from there', async () => {
    const { client, create } = await openLab()
    const { study, ...rest } = documentOf('v10-walk-forward')
    const document = { ...rest, study: { ...study, parameters: { n: Array.from({ length: 40 }, (_, at) => at + 1) } } }
    const id = await create('Grid', document)
    const stop = new AbortController()
    const changed = Promise.withResolvers<void>()
    client.on('ledger.changed', () => changed.resolve())
    const onProgress = ({ done }: { done: number }) => void (done > 0 && stop.abort())
    await expect(client.call('lab.run', { id, document }, { signal: stop.signal, onProgress })).rejects.toMatchObject({
      code: 'cancelled',
    })
    await changed.promise
    const preview = await client.call('lab.trial', { document })
    expect(preview?.recorded).toBeGreaterThan(0)
    expect(preview?.recorded).toBeLessThan(40)
    await client.call('lab.run', { id, document })
    expect(await client.call('ledger.overview', {})).toMatchObject({ trials: 40, entries: 41 })
  })

  it('seals days until they are opened, counts from a reset on, and names the field of a bad test', async () => {
    const { client, create } = await openLab()
    const document = documentOf('v14-holdout')
    const id = await create('Sealed', document)
    const sealed = await client.call('lab.run', { id, document })
    if (sealed.result.kind !== 'portfolio') return expect.unreachable()
    const { holdout } = sealed.result
    expect(holdout?.opened).toBe(false)
    expect(await client.call('lab.trial', { document })).toMatchObject({ repeats: 1 })
    const opened = await client.call('lab.run', { id, document, openHoldout: true })
    if (opened.result.kind !== 'portfolio') return expect.unreachable()
    expect(opened.result.holdout).toMatchObject({ fromDay: holdout?.fromDay, opened: true, sealedRows: 0 })
    expect(opened.result.days.length).toBeGreaterThan(sealed.result.days.length)
    // The document repeats the run after the opening (entry 3), not the run on the sealed rows (entry 1).
    expect(await client.call('lab.trial', { document })).toMatchObject({ repeats: 3, holdout: { opened: true } })

    await client.call('ledger.reset', { reason: 'another idea' })
    expect(await client.call('ledger.overview', {})).toMatchObject({ trials: 0, reset: { reason: 'another idea' } })
    const { entries } = await client.call('ledger.family', { family: opened.result.family })
    expect(entries.some(({ role }) => role === 'holdoutOpened')).toBe(true)
    // The family's runs and its seal can still be found, although none of its trials counts.
    const { families } = await client.call('ledger.overview', {})
    expect(families).toMatchObject([
      { family: opened.result.family, trials: 0, best: null, holdout: { fromDay: holdout?.fromDay, opened: true } },
    ])
    const { title, linesOf } = reportLines(opened.result)
    expect(title).toContain('Sealed')
    expect(linesOf('Notes').join(' ')).toContain(`The holdout from ${holdout?.fromDay} on was opened`)
    expect(reportLines(sealed.result).linesOf('Notes').join(' ')).toContain('is sealed')
    const after = await client.call('lab.run', { id, document })
    if (after.result.kind !== 'portfolio') return expect.unreachable()
    const told = reportLines(after.result).linesOf('Notes').join(' ')
    expect(told).toMatch(/was opened.*Trials are counted from the reset at \d{4}-/)
    expect(entries.every(({ counts }) => !counts)).toBe(true)

    const bad = { ...document, study: { ...document.study, weights: { leverage: 0 } } }
    await expect(client.call('lab.run', { id, document: bad })).rejects.toMatchObject({
      code: 'bad-input',
      detail: expect.stringContaining('weights.leverage') as string,
    })
  })
})

describe('the result of a tested portfolio in the workbench', () => {
  const series = { exchange: 'lab', interval: '1d', timestamp: 'exchange' as const, connectionId: '~computed' }
  const range = { startMs: null, endMs: null }
  const valuesOf = (frame: Frame, name: string) => {
    const column = columnOf(frame, name)
    return column?.kind === 'number' ? [...column.values] : []
  }

  it('is daily series with units, for charts, formulas and exports with their provenance', async () => {
    const { client, create, saved } = await openLab()
    const document = documentOf('v03-rank-daily')
    const id = await create('Carry of 4h, 2×', document)
    await expect(client.call('lab.chartTest', { id })).rejects.toMatchObject({ code: 'not-found' })
    const { result } = await client.call('lab.run', { id, document })
    if (result.kind !== 'portfolio') return expect.unreachable()
    const { weightSymbols, symbol } = await client.call('lab.chartTest', { id })
    expect(symbol).toMatch(/^Carry-of-4h-2-[0-9a-f]{6}$/)
    expect(weightSymbols.toSorted()).toEqual(result.symbols.map((each) => each.symbol).toSorted())

    const test = { ...series, symbol }
    const columns = ['equity', 'gross_exposure', 'fee']
    const { points, unread } = await client.call('series.overview', {
      ...test,
      dataset: 'tested_portfolio',
      columns,
      ...range,
    })
    expect(unread).toEqual([])
    expect(valuesOf(points.frame, 'equity')).toEqual(result.equity)
    expect(valuesOf(points.frame, 'gross_exposure')).toEqual(result.exposure.gross)
    expect(valuesOf(points.frame, 'fee')).toEqual(result.amounts.fee)
    const held = await client.call('series.overview', {
      ...test,
      dataset: 'tested_weights',
      columns: weightSymbols,
      ...range,
    })
    const gross = valuesOf(held.points.frame, weightSymbols[0]).map((_, at) =>
      weightSymbols.reduce((sum, name) => sum + Math.abs(valuesOf(held.points.frame, name)[at]), 0),
    )
    gross.forEach((sum, at) => expect(sum).toBeCloseTo(result.exposure.gross[at]!, 9))

    const inputs = { a: { ...test, dataset: 'tested_portfolio', column: 'equity' } }
    const drawdown = await client.call('series.evaluate', { formula: 'a / lag(a, 1) * 100000', inputs, ...range })
    expect(drawdown).toMatchObject({ problem: null, unit: 'none', rows: result.days.length })
    await client.call('series.export', {
      format: 'parquet',
      series: [{ ...test, dataset: 'tested_portfolio', columns: ['equity'] }],
      ...range,
    })
    const texts = saved.map(({ bytes }) => bytes.toString()).join('')
    expect(texts).toContain('tested portfolio of the Lab')
    expect(texts).toContain(result.documentHash)
  })

  it('follows later runs of its test, under any name', async () => {
    const { client, create } = await openLab()
    const document = documentOf('v03-rank-daily')
    const id = await create('First name', document)
    await client.call('lab.run', { id, document })
    const { symbol } = await client.call('lab.chartTest', { id })
    await client.call('documents.rename', { kind: 'study', id, name: 'Second name' })
    const shorter = { ...document, study: { ...document.study, end: '2026-02-10T00:00:00Z', costs: { feeBps: 50 } } }
    const { result } = await client.call('lab.run', { id, document: shorter })
    if (result.kind !== 'portfolio') return expect.unreachable()
    expect((await client.call('lab.chartTest', { id })).symbol).toBe(symbol)
    const { points } = await client.call('series.overview', {
      ...series,
      symbol,
      dataset: 'tested_portfolio',
      columns: ['equity'],
      ...range,
    })
    expect(valuesOf(points.frame, 'equity')).toEqual(result.equity)
  })
})
