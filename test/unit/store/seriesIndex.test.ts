import { expect, it } from 'vitest'
import { createSeriesIndex } from '#core/store/seriesIndex.ts'
import type { Writes } from '#core/store/sql.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'

it('asks for and writes a series once, however many files of it are queued', () => {
  const statements: string[] = []
  const nothing: Writes = {
    all: () => [],
    first: (sql) => void statements.push(sql),
    run: (sql) => statements.push(sql),
    inTransaction: (work) => work(),
  }
  const series = flowSeries()
  createSeriesIndex(nothing, nothing).ensure(Array.from({ length: 1000 }, () => series))
  expect(statements.map((sql) => sql.split(' ')[0])).toEqual(['SELECT', 'INSERT'])
})
