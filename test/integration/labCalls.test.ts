import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LabDocument } from '#shared/contract/areas/lab.ts'
import { lostReasons } from '#shared/lab/inspectPanel.ts'
import { studyDifferences } from '../conformance/compareStudies.ts'
import { openWorld } from '../contract/world.ts'
import { fakeHost } from '../fakes/fakePorts.ts'

const data = join(import.meta.dirname, '..', 'conformance', 'data', 'studies')
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(data, path), 'utf8'))

function documentOf(id: string, panel: string, against: string | null = null): LabDocument {
  const study = readJson(`studies/${id}.json`) as Record<string, unknown>
  const pathOf = (name: string) => join(data, 'panels', name)
  return { version: 1, study, panel: { path: pathOf(panel), against: against && pathOf(against) } }
}

async function openLab() {
  const { client } = await openWorld((app) => ({
    client: app.clientFor(fakeHost()),
    drop: null,
    sendRaw: null,
    close() {},
  }))
  return client
}

describe('a study of the Lab', () => {
  it('runs by stages, and keeps its answer and its run', async () => {
    const client = await openLab()
    const document = documentOf('v06-planted', 'planted.csv')
    const { id } = await client.call('documents.create', { kind: 'study', name: 'Planted', document })
    expect(await client.call('lab.answer', { id })).toBeNull()
    const stages = new Set<string>()
    const answer = await client.call(
      'lab.run',
      { id, document },
      { onProgress: ({ message }) => void stages.add(message) },
    )
    const expected = readJson('expected/v06-planted.json') as { study: { name: string | null } }
    expect(studyDifferences({ ...expected, study: { ...expected.study, name: 'Planted' } }, answer.result)).toEqual([])
    expect([...stages].slice(0, 3)).toEqual(['rows', 'formulas', 'horizons'])
    expect(await client.call('lab.answer', { id })).toEqual(answer)
    expect(answer.fingerprint).toBe((await client.call('lab.source', { document }))?.fingerprint)
    const [listed] = await client.call('documents.list', { kind: 'study' })
    expect(listed).toMatchObject({ ranAt: answer.ranAt, verdict: expect.stringMatching(/IC [\d.]+ ±/) as string })
  })

  it('says which field is wrong, and which file', async () => {
    const client = await openLab()
    const bad = documentOf('e02-missing-field', 'planted.csv')
    const { id } = await client.call('documents.create', { kind: 'study', name: 'Bad', document: bad })
    await expect(client.call('lab.run', { id, document: bad })).rejects.toMatchObject({
      code: 'bad-input',
      detail: expect.stringContaining('is needed') as string,
    })
    const gone = { ...documentOf('v06-planted', 'gone.csv') }
    await expect(client.call('lab.run', { id, document: gone })).rejects.toMatchObject({
      detail: expect.stringContaining('gone.csv: there is no such file') as string,
    })
  })

  it('tells what its panel contains', async () => {
    const client = await openLab()
    const facts = await client.call('lab.source', { document: documentOf('v06-planted', 'planted.csv') })
    expect(facts).toMatchObject({ rows: 4000, columns: ['close', 'signal'], isSmall: true })
    expect(facts?.symbols).toHaveLength(20)
  })
})

describe('the cells of a study', () => {
  it('have the reasons that the attrition counts, and the groups return what the result says', async () => {
    const client = await openLab()
    const document = documentOf('v09-members', 'members.csv')
    const { id } = await client.call('documents.create', { kind: 'study', name: 'Members', document })
    const { result } = await client.call('lab.run', { id, document })
    if (!('horizons' in result)) return expect.unreachable()
    const [{ horizon, attrition, path }] = result.horizons
    const { firstTime, times } = result.data
    const counts: Record<string, number> = {}
    for (let time = 0; time < times; time += 1) {
      const timeMs = firstTime + time * 3_600_000
      const section = await client.call('lab.section', { document, horizon, timeMs })
      expect(section.timeMs).toBe(timeMs)
      for (const { reason } of section.rows) counts[reason] = (counts[reason] ?? 0) + 1
    }
    for (const reason of [...lostReasons, 'used'] as const) expect(counts[reason] ?? 0, reason).toBe(attrition[reason])
    const first = await client.call('lab.section', { document, horizon, timeMs: path.times[0] })
    path.quantiles.forEach(([value], at) => {
      const changes = first.rows.filter(({ group }) => group === at + 1).map(({ change }) => change ?? NaN)
      expect(changes.reduce((sum, change) => sum + change, 0) / changes.length).toBeCloseTo(value - 1, 12)
    })
  })

  it('have a price path, thinned over the whole range and whole within a part of it', async () => {
    const client = await openLab()
    const along = join(import.meta.dirname, '..', 'fixtures', 'along-time')
    const study = JSON.parse(readFileSync(join(along, 'studies', 'v08-dirty.json'), 'utf8')) as Record<string, unknown>
    const document: LabDocument = {
      version: 1,
      study,
      panel: { path: join(along, 'panels', 'dirty.csv'), against: null },
    }
    const { id } = await client.call('documents.create', { kind: 'study', name: 'Dirty', document })
    const { result } = await client.call('lab.run', { id, document })
    if (result.kind !== 'series') return expect.unreachable()
    const [{ symbol }] = result.symbols
    const { firstTime, lastTime, times: all } = result.data
    const whole = await client.call('lab.price', { document, symbol })
    expect([whole.times.length, whole.times.at(-1)]).toEqual([Math.ceil(all / whole.bars), lastTime])
    const [startMs, endMs] = [firstTime + 10 * 3_600_000, firstTime + 20 * 3_600_000]
    const part = await client.call('lab.price', { document, symbol, startMs, endMs })
    expect([part.bars, part.times.length, part.times[0]]).toEqual([1, 10, startMs])
    const { columns } = await client.call('lab.symbol', { document, symbol, startMs, endMs })
    expect(part.price).toEqual(columns.find(({ name, isFormula }) => isFormula && name === 'price')?.values)
    await expect(client.call('lab.price', { document, symbol: 'nobody' })).rejects.toThrow('nobody has no row')
  })

  it('are behind each bucket of a series as its figures say', async () => {
    const client = await openLab()
    const along = join(import.meta.dirname, '..', 'fixtures', 'along-time')
    const study = JSON.parse(readFileSync(join(along, 'studies', 'v08-dirty.json'), 'utf8')) as Record<string, unknown>
    const document: LabDocument = {
      version: 1,
      study,
      panel: { path: join(along, 'panels', 'dirty.csv'), against: null },
    }
    const { id } = await client.call('documents.create', { kind: 'study', name: 'Dirty', document })
    const { result } = await client.call('lab.run', { id, document })
    if (result.kind !== 'series') return expect.unreachable()
    const [{ symbol, horizons }] = result.symbols
    const [, { horizon, buckets, unplaced, all, attrition }] = horizons
    for (const { bucket, cells, n, mean } of buckets) {
      const { times, signal, returns, isSample, left } = await client.call('lab.bucket', {
        ...{ document, symbol, horizon, bucket },
      })
      const samples = returns.filter((_, at) => isSample[at])
      expect([times.length, signal.length, samples.length, left]).toEqual([cells, cells, n, 0])
      expect(samples.reduce((sum, one) => sum + one, 0) / n).toBeCloseTo(mean ?? NaN, 12)
    }
    const count = async (bucket: number | null) =>
      (await client.call('lab.bucket', { document, symbol, horizon, bucket })).times.length
    expect([await count(0), await count(null)]).toEqual([unplaced, all.cells])
    const reasons: Record<string, number> = {}
    for (let time = 0; time < result.data.times; time++) {
      const timeMs = result.data.firstTime + time * 3_600_000
      const { rows } = await client.call('lab.section', { document, horizon, timeMs })
      for (const { reason } of rows) reasons[reason] = (reasons[reason] ?? 0) + 1
    }
    const { cells: _cells, ...counted } = attrition
    for (const [reason, cells] of Object.entries(counted)) expect(reasons[reason] ?? 0, reason).toBe(cells)
  })

  it('show the path of each event, whose mean is that of the result', async () => {
    const client = await openLab()
    const document = documentOf('v14-events', 'quarter.csv')
    const { id } = await client.call('documents.create', { kind: 'study', name: 'Events', document })
    const { result } = await client.call('lab.run', { id, document })
    if (!('events' in result)) return expect.unreachable()
    const { offsets, paths, events } = await client.call('lab.paths', { document })
    expect(events).toBe(result.attrition.used)
    expect(paths.map(({ timeMs }) => timeMs)).toEqual(result.events.times)
    expect(offsets).toEqual(result.path.map(({ offset }) => offset))
    offsets.forEach((_, at) => {
      const values = paths.flatMap(({ values: { [at]: value } }) => (value === null ? [] : [value]))
      expect(values.length).toBe(result.path[at].n)
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length
      expect(mean).toBeCloseTo(result.path[at].mean ?? NaN, 12)
    })
  })

  it.each([
    ['v14-events', 'quarter.csv', 900_000],
    ['v15-all-events', 'quarter.csv', 900_000],
  ])('%s: every symbol at a time has the reason for which it has no event', async (study, panel, barMs) => {
    const client = await openLab()
    const document = documentOf(study, panel)
    const { id } = await client.call('documents.create', { kind: 'study', name: 'Events', document })
    const { result } = await client.call('lab.run', { id, document })
    if (!('events' in result)) return expect.unreachable()
    const counts: Record<string, number> = {}
    const events: string[] = []
    for (let time = 0; time < result.data.times; time += 1) {
      const timeMs = result.data.firstTime + time * barMs
      const { rows } = await client.call('lab.section', { document, horizon: 1, timeMs })
      for (const { symbol, reason, signal } of rows) {
        if (signal !== null && signal !== 0) counts[reason] = (counts[reason] ?? 0) + 1
        else expect(['notTrue', 'notMember', 'noRow', 'warmUp', 'noSignal']).toContain(reason)
        if (reason === 'used') events.push(`${timeMs} ${symbol}`)
      }
    }
    const { trueCells: _all, ...reasons } = result.attrition
    for (const [reason, cells] of Object.entries(reasons)) expect(counts[reason] ?? 0, reason).toBe(cells)
    expect(events).toEqual(result.events.times.map((timeMs, at) => `${timeMs} ${result.events.symbols[at]}`))
  })

  it('give the rows of a symbol and the coverage by time', async () => {
    const client = await openLab()
    const document = documentOf('v06-planted', 'planted.csv')
    const { firstTime } = (await client.call('lab.source', { document }))!
    const range = { startMs: firstTime!, endMs: firstTime! + 3 * 3_600_000 }
    const rows = await client.call('lab.symbol', { document, symbol: 'P00', ...range })
    expect(rows.times).toHaveLength(3)
    expect(rows.columns.map(({ name, isFormula }) => [name, isFormula])).toEqual([
      ['signal', true],
      ['price', true],
      ['close', false],
      ['signal', false],
    ])
    expect(rows.columns[2].values[0]).toBe(2.30027457)
    const coverage = await client.call('lab.coverage', { document })
    expect(coverage).toMatchObject({ share: 1, bars: 1 })
    expect(coverage.members.every((members) => members === 20)).toBe(true)
    await expect(client.call('lab.symbol', { document, symbol: 'nobody', ...range })).rejects.toMatchObject({
      detail: expect.stringContaining('nobody has no row') as string,
    })
  })
})
