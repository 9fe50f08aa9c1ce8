import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { NotHere } from '../../bench/benchLine.ts'
import { missingPackages } from '../../../scripts/bench/peerPackages.mjs'
import {
  failedResult,
  judge,
  median,
  merge,
  publishedFields,
  slowerLines,
  tableFoot,
  tableRow,
} from '../../../scripts/bench/results.mjs'

const line = { name: 'read: one', unit: 'ms', rule: 'atMost', budget: 0.6, peerName: 'DuckDB' } as const

test('the ratio of both medians is compared with the budget', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(judge(line, [10, 12, 90], [20, 24, 21])).toMatchObject({ ours: 12, peer: 21, ratio: 0.5714, ok: true })
  expect(judge(line, [20], [20])).toMatchObject({ ratio: 1, ok: false })
  expect(judge({ ...line, rule: 'atLeast', budget: 1 }, [30], [20])).toMatchObject({ ratio: 1.5, ok: true })
  expect(judge({ ...line, rule: 'value', budget: 20, peerName: null }, [19], [])).toMatchObject({
    peer: null,
    ok: true,
  })
})

test('a ratio without its peer is neither met nor missed', () => {
  const result = judge(line, [10], [])
  expect(result.ok).toBeNull()
  expect(tableRow(result)).toContain('DuckDB is not on this machine')
})

test('a line that fails says why and counts as missed', () => {
  const results = [judge(line, [10], [20]), failedResult({ ...line, name: 'other' }, new Error('no build'))]
  expect(tableRow(results[1])).toMatch(/FAILED other\s+no build/)
  expect(tableFoot(results)).toBe('1 of 2 lines within their budget.')
})

test('a line that needs something the machine lacks says so and is neither met nor missed', () => {
  const result = failedResult(line, new NotHere('no Chromium is on this machine'))
  expect(result.ok).toBeNull()
  expect(tableRow(result)).toMatch(/^\? +read: one\s+no Chromium is on this machine/)
  expect(tableFoot([result])).toBe('0 of 1 lines within their budget, 1 undecided.')
})

test('a line without a budget is only a comparison', () => {
  const result = judge({ ...line, budget: null }, [10], [20])
  expect(result).toMatchObject({ ratio: 0.5, ok: null })
  expect(tableRow(result)).toMatch(/^– +read: one.* 0\.5 +–$/)
  expect(tableFoot([judge(line, [10], [20]), result])).toBe('1 of 1 lines within their budget; 1 without a budget.')
})

test('--json prints the promised fields and no others', () => {
  expect(JSON.stringify(publishedFields(judge(line, [10], [20])))).toBe(
    '{"name":"read: one","unit":"ms","ours":10,"peer":20,"peerName":"DuckDB","ratio":0.5,"budget":0.6,"ok":true}',
  )
})

test('a run of some lines keeps the results of the others', () => {
  const old = [
    { name: 'a', ours: 1 },
    { name: 'b', ours: 2 },
  ]
  expect(
    merge(old, [
      { name: 'b', ours: 3 },
      { name: 'c', ours: 4 },
    ]),
  ).toEqual([
    { name: 'a', ours: 1 },
    { name: 'b', ours: 3 },
    { name: 'c', ours: 4 },
  ])
})

test('peer packages are installed if they are missing or have another version than package.json names', () => {
  const installed = { echarts: '6.1.0', 'lightweight-charts': '5.0.0' } as Record<string, string>
  const wanted = { echarts: '6.1.0', 'lightweight-charts': '5.2.1', other: '1.0.0' }
  const versionOf = (name: string) => installed[name] ?? null
  expect(missingPackages(['echarts', 'lightweight-charts', 'other'], versionOf, wanted)).toEqual([
    'lightweight-charts',
    'other',
  ])
  expect(missingPackages([], versionOf, wanted)).toEqual([])
})

test('every line has a unique name and can be chosen by a part of it', async () => {
  const program = join(import.meta.dirname, '..', '..', '..', 'scripts', 'bench.mjs')
  const list = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [program, '--list', ...args])).stdout.trim().split('\n')
  const all = await list()
  expect(new Set(all).size).toBe(all.length)
  expect(all.length).toBeGreaterThan(15)
  const start = await list('START:')
  expect(start.length).toBeGreaterThan(1)
  expect(start.every((name) => name.startsWith('start:'))).toBe(true)
})

test('a line is slower than before only beyond the noise of both runs, and by its ratio where it has a peer', () => {
  const speed = { ...line, name: 'files a second', rule: 'atLeast', budget: 1 } as const
  const alone = { ...line, name: 'alone', rule: 'value', budget: 100, peerName: null } as const
  const results = (ours: number, peer: number, files: number, own: readonly number[]) => [
    judge(line, [ours], [peer]),
    judge(speed, [files], [100]),
    judge(alone, own, []),
  ]
  const old = results(10, 20, 100, [50, 50, 50])
  expect(slowerLines(old, results(21, 40, 95, [50, 52, 54]))).toEqual([])
  expect(slowerLines(old, results(20, 20, 50, [40, 60, 90]))).toMatchObject([
    { name: 'read: one', change: 1 },
    { name: 'files a second', change: 1 },
  ])
  expect(
    slowerLines(old, [failedResult(line, new Error('no build')), judge({ ...line, name: 'new' }, [9], [9])]),
  ).toEqual([])
})
