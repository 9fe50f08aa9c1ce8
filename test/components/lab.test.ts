import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import type { LabDocument, StudyAnswer, StudySourceFacts } from '#shared/contract/areas/lab.ts'
import { AppError } from '#shared/contract/errors.ts'
import { useHost } from '../../renderer/stores/host.ts'
import { RUN_AFTER_MS, useLab } from '../../renderer/stores/lab.ts'
import { fakeWindowHost } from '../fakes/fakeWindowHost.ts'

const facts = { rows: 9, symbols: ['A'], firstTime: 0, lastTime: 1, columns: ['a'], isSmall: true, fingerprint: '1' }
const small: LabDocument = {
  version: 1,
  study: { version: 1, kind: 'signal', interval: '1h', signal: 'a' },
  panel: { path: '/p.csv', against: null },
}

it('runs a small study when the input rests, names a wrong field, and undoes it', async () => {
  vi.useFakeTimers()
  try {
    setActivePinia(createPinia())
    const host = fakeWindowHost()
    useHost().provide(host)
    const kept = { id: 's', name: 'Carry', document: small, revision: 1 }
    host.answer('documents.list', () => [
      { id: 's', name: 'Carry', kind: 'signal', changedAt: 1, ranAt: null, verdict: null },
    ])
    host.answer('documents.read', () => kept)
    host.answer('lab.answer', () => null)
    host.answer('lab.source', () => facts)
    host.answer('documents.save', ({ revision = 1 }) => ({ revision: revision + 1 }))
    host.answer('lab.run', ({ document }) => ({ document, fingerprint: '1', ranAt: 2 }) as unknown as StudyAnswer)
    const lab = useLab()
    await lab.start()
    await lab.open('s')
    await vi.advanceTimersByTimeAsync(RUN_AFTER_MS - 1)
    expect(lab.answer).toBeNull()
    await vi.advanceTimersByTimeAsync(RUN_AFTER_MS)
    expect(lab.answer?.document).toEqual(small)
    lab.edit((before) => ({ ...before, study: { ...before.study, quantiles: 99 } }))
    await nextTick()
    expect(lab.problem?.field).toBe('quantiles')
    expect(lab.isStale).toBe(true)
    // A study without its rows, such as one opened from a file, lists the columns that it needs.
    lab.edit((before) => ({ ...before, study: { ...before.study, quantiles: 5 }, panel: null }))
    expect(lab.neededColumns).toEqual(['a', 'close'])
    lab.undo()
    lab.undo()
    expect(lab.problem).toBeNull()
    expect(lab.isStale).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

/** Opens a study of cached data whose files are named by its signal and by `version`, which a test may change. */
async function openCachedStudy() {
  setActivePinia(createPinia())
  const host = fakeWindowHost()
  useHost().provide(host)
  const days = { start: '2026-01-01', end: '2026-02-01' }
  const source = { exchanges: ['venuea-futures'], symbols: null, universe: null, timestamp: 'exchange', against: null }
  const document: LabDocument = {
    version: 1,
    study: { version: 1, kind: 'signal', interval: '1h', signal: 'flow.volume_delta', ...days, source },
    panel: null,
  }
  const files = { version: 1 }
  const fingerprintOf = ({ study }: LabDocument) => `${String(study.signal)} ${files.version}`
  host.answer('documents.list', () => [
    { id: 's', name: 'Carry', kind: 'signal', changedAt: 1, ranAt: null, verdict: null },
  ])
  host.answer('documents.read', () => ({ id: 's', name: 'Carry', document, revision: 1 }))
  host.answer('lab.answer', () => null)
  host.answer('lab.source', ({ document: asked }) => ({ ...facts, fingerprint: fingerprintOf(asked) }))
  host.answer('documents.save', ({ revision = 1 }) => ({ revision: revision + 1 }))
  host.answer('lab.run', ({ document: { version, study, panel } }) => {
    const ran = { version, study, panel }
    return { document: ran, fingerprint: fingerprintOf(ran), ranAt: 2 } as unknown as StudyAnswer
  })
  const lab = useLab()
  await lab.start()
  await lab.open('s')
  await vi.advanceTimersByTimeAsync(2 * RUN_AFTER_MS)
  return { lab, files, host }
}

describe('files of a study', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('do not count as changed because a formula reads other files than before', async () => {
    const { lab } = await openCachedStudy()
    lab.edit((before) => ({ ...before, study: { ...before.study, signal: 'ohlcv.close' } }))
    await lab.run()
    await nextTick()
    expect(lab.answer?.document.study.signal).toBe('ohlcv.close')
    expect([lab.isStale, lab.haveFilesChanged]).toEqual([false, false])
    await vi.advanceTimersByTimeAsync(2 * RUN_AFTER_MS)
    expect([lab.isStale, lab.haveFilesChanged]).toEqual([false, false])
  })

  it('do not count as changed since a run because they changed before it', async () => {
    const { lab, files } = await openCachedStudy()
    files.version = 2
    await lab.run()
    await nextTick()
    expect(lab.haveFilesChanged).toBe(false)
    await vi.advanceTimersByTimeAsync(RUN_AFTER_MS)
    expect(lab.haveFilesChanged).toBe(false)
  })

  it('count as changed if they changed after the run, whatever was typed meanwhile', async () => {
    const { lab, files, host } = await openCachedStudy()
    files.version = 2
    const slowReading = Promise.withResolvers<StudySourceFacts>()
    host.answer('lab.source', () => slowReading.promise)
    lab.edit((before) => ({ ...before, study: { ...before.study, signal: 'ohlcv.close' } }))
    await vi.advanceTimersByTimeAsync(RUN_AFTER_MS / 2)
    host.answer('lab.source', () => ({ ...facts, fingerprint: 'flow.volume_delta 2' }))
    lab.undo()
    slowReading.resolve({ ...facts, fingerprint: 'ohlcv.close 2' })
    await vi.advanceTimersByTimeAsync(RUN_AFTER_MS / 2)
    expect(lab.source?.fingerprint).toBe('flow.volume_delta 2')
    expect([lab.isStale, lab.haveFilesChanged]).toEqual([false, true])
  })
})

it('does not take an answer for stale because its keys have another order', async () => {
  vi.useFakeTimers()
  try {
    const { lab, host } = await openCachedStudy()
    // The key `study` moves to the end, as it does when the user chooses another kind of study.
    lab.edit(({ study, ...rest }) => ({ ...rest, study: { ...study, quantiles: 4 } }))
    await vi.advanceTimersByTimeAsync(10 * RUN_AFTER_MS)
    // The first run is that of the opened study.
    expect([lab.isStale, host.calls.filter(([name]) => name === 'lab.run').length]).toEqual([false, 2])
  } finally {
    vi.useRealTimers()
  }
})

it('does not take an answer for stale because a default was written out', async () => {
  vi.useFakeTimers()
  try {
    const { lab, host } = await openCachedStudy()
    lab.edit(({ study, ...rest }) => ({ ...rest, study: { ...study, delayBars: 2 } }))
    expect(lab.isStale).toBe(true)
    lab.edit(({ study, ...rest }) => ({ ...rest, study: { ...study, delayBars: 1 } }))
    expect(lab.isStale).toBe(false)
    await vi.advanceTimersByTimeAsync(10 * RUN_AFTER_MS)
    expect(host.calls.filter(([name]) => name === 'lab.run').length).toBe(1)
  } finally {
    vi.useRealTimers()
  }
})

it('asks for the symbols of the venues before it reports that a study of named symbols has no rows', async () => {
  vi.useFakeTimers()
  const { lab, host } = await openCachedStudy().finally(() => void vi.useRealTimers())
  lab.edit(({ study, ...rest }) => ({
    ...rest,
    study: { ...study, source: { ...study.source!, symbols: ['perpetual-BTCC-USDT:USDT'] } },
  }))
  const isListKnown = () => host.calls.some(([name]) => name === 'discovery.symbols')
  host.answer('discovery.symbols', () => ({ symbols: [], freshness: null, changed: null }) as never)
  host.answer('lab.run', () => {
    throw new AppError('bad-input', isListKnown() ? 'There is no symbol' : 'The cache has no rows')
  })
  await lab.run()
  expect(lab.problem?.message).toBe('There is no symbol')
  expect(host.calls.filter(([name]) => name === 'discovery.symbols').map(([, input]) => input)).toEqual([
    { exchange: 'venuea-futures' },
  ])
})

it('shows what a run refuses at its field, and a problem of a file as it is', async () => {
  vi.useFakeTimers()
  const { lab, host } = await openCachedStudy().finally(() => void vi.useRealTimers())
  const refuse = async (message: string, field?: string) => {
    host.answer('lab.run', () => {
      throw AppError.fromShape(new AppError('bad-input', message, { field }).toShape())
    })
    await lab.run()
    return lab.problem
  }
  const problem = { field: 'signal', message: 'there is no column b.' }
  expect(await refuse('signal: there is no column b.', 'signal')).toEqual(problem)
  const text = 'panel.csv: row 2 has no time.'
  expect(await refuse(text)).toEqual({ field: '', message: text })
})
