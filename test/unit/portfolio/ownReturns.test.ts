import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { reportHandlers } from '#core/handlers/report.ts'
import { createOwnReturns } from '#core/record/ownReturns.ts'
import type { RecordService } from '#core/record/recordService.ts'
import { openStore } from '#core/store/store.ts'
import { cellOf, numberColumn, timeColumn } from '#shared/contract/frame.ts'
import { fakeClock } from '../../fakes/fakeClock.ts'
import { fakeLog } from '../../fakes/fakeLog.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const DAY = 86_400_000
const patience = { timeout: 30_000 }
const noPrices = () => Promise.reject(new Error('no service is asked for returns'))

function world(text: string | Uint8Array) {
  const folder = temporaryFolder()
  const path = join(folder, 'fund.csv')
  writeFileSync(path, text)
  const store = openStore({ dataDir: join(folder, 'data'), clock: fakeClock(), log: fakeLog() })
  onTestFinished(() => store.close())
  const changed = vi.fn()
  const own = createOwnReturns(store.returns, fakeClock(), changed)
  return { path, store, changed, own }
}

const values = (shown: Awaited<ReturnType<ReturnType<typeof world>['own']['read']>>['shown']) =>
  shown && Array.from({ length: shown.returns.rows }, (_, row) => cellOf(shown.returns.columns[1], row))

test('asks for the unit before it shows returns, and keeps the answer', async () => {
  const { own, path, store } = world('date;return;benchmark\n2026-01-01;1,5;0,5\n2026-01-03;-0,5;0,1\n')
  const { id, name } = own.open(path, false)
  expect(name).toBe('fund.csv')
  expect(await own.read(id, noPrices)).toMatchObject({ unit: null, source: 'current', shown: null })
  store.returns.change(id, { unit: 'percent' })
  const { shown } = await own.read(id, noPrices)
  expect(values(shown)).toEqual([0.015, -0.005])
  expect(shown?.benchmark?.rows).toBe(2)
  expect(shown?.warnings.map(({ line, kind }) => [line, kind])).toEqual([
    [2, 'decimal'],
    [3, 'gap'],
  ])
  // Opening the same file again gives the same document.
  expect(own.open(path, false).id).toBe(id)
  own.remove(id)
})

test('an unchanged copy opened again is the same document, and a changed one is another', () => {
  const { own, path } = world('date,return\n2026-01-01,1 %\n')
  const { id } = own.open(path, true)
  expect(own.open(path, true)).toEqual({ id, name: 'fund.csv' })
  writeFileSync(path, 'date,return\n2026-01-01,2 %\n')
  const changed = own.open(path, true)
  expect(changed.name).toBe('fund.csv 2')
  expect(own.open(path, true)).toEqual(changed)
})

test('reads the file again when it changes, and tells of it', async () => {
  const { own, path, changed } = world('date,return\n2026-01-01,1 %\n')
  const { id } = own.open(path, false)
  expect(values((await own.read(id, noPrices)).shown)).toEqual([0.01])
  changed.mockClear()
  // Editors write a new file and then replace the old one with it.
  writeFileSync(`${path}.new`, 'date,return\n2026-01-01,1 %\n2026-01-02,3 %\n')
  renameSync(`${path}.new`, path)
  await vi.waitFor(() => expect(changed).toHaveBeenCalled(), patience)
  expect(values((await own.read(id, noPrices)).shown)).toEqual([0.01, 0.03])
  own.remove(id)
})

test('a version that cannot be read, or a file that is gone, leaves what was read before', async () => {
  const { own, path } = world('date,return\n2026-01-01,1 %\n')
  const { id } = own.open(path, false)
  writeFileSync(path, 'date,return\n2026-01-01,much\n')
  const bad = await own.read(id, noPrices)
  expect(bad).toMatchObject({ source: 'unreadable', problems: ['line 2: “much” is not a number'] })
  expect(values(bad.shown)).toEqual([0.01])
  rmSync(path)
  const gone = await own.read(id, noPrices)
  expect(gone).toMatchObject({ source: 'missing', problems: [] })
  expect(values(gone.shown)).toEqual([0.01])
  own.remove(id)
})

test('refuses a file of another kind with its lines, and keeps nothing', () => {
  const { own, path, store } = world('day,price\n2026-01-01,1\n')
  expect(() => own.open(path, false)).toThrow(
    expect.objectContaining({ detail: expect.stringContaining('fund.csv cannot be read: line 1: needs the columns') }),
  )
  expect(store.returns.list()).toEqual([])
})

test('weights are valued with the prices of the service, and a browser’s copy does not outlive its text', async () => {
  const { own, path, store } = world('date,ticker,weight\n2026-01-01,BTC,1\n2026-01-02,BTC,1\n')
  const { id } = own.open(path, true)
  rmSync(path)
  store.returns.change(id, { cost: '10' })
  const ask = () =>
    Promise.resolve({
      rows: {
        rows: 2,
        columns: [
          timeColumn('time', [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1) + DAY]),
          numberColumn('price', [100, 110]),
        ],
      },
      freshness: null,
    })
  const answer = await own.read(id, ask)
  expect(answer).toMatchObject({ source: 'copy', cost: '10', shown: { kind: 'weights', coverage: 1 } })
  expect(values(answer.shown)).toEqual([expect.closeTo(0.1, 12)])
})

test('is reported by its name beside the report, with the unit that was answered; a copy has no place to name', async () => {
  const { own, path, store } = world('date,return\n2026-01-01,1.5\n2026-01-02,-0.5\n')
  const made: unknown[] = []
  const make = ({ query, baseFolder }: { query: unknown; baseFolder: string }) => {
    made.push(query, baseFolder)
    return Promise.resolve({ html: '', title: 'fund.csv', sources: [] })
  }
  const handlers = reportHandlers({ make } as unknown as RecordService, store)
  const call = { signal: new AbortController().signal, host: { save: () => Promise.resolve(null) } }
  const chosen = { smoothing: null, exchange: null, benchmark: null, riskFree: 0, rolling: 30, start: null, end: null }
  const report = (returns: string) =>
    handlers['report.save'](
      { connectionId: '', query: { kind: 'tearsheet', portfolio: null, ...chosen, returns } },
      call as unknown as Parameters<(typeof handlers)['report.save']>[1],
    )
  const { id } = own.open(path, false)
  store.returns.change(id, { unit: 'percent' })
  await report(id)
  const returns = { file: 'fund.csv', unit: 'percent', cost: null }
  expect(made).toEqual([{ kind: 'tearsheet', portfolio: null, ...chosen, returns }, dirname(path)])
  await expect(report(own.open(path, true).id)).rejects.toThrow('fund.csv 2 was opened in a browser')
})
