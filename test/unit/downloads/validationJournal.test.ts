import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openValidationJournal, periodLimitsOf } from '#core/downloads/guardedValidation.ts'
import { flowSeries } from '../../fakes/cachedFiles.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

/** Opens the journal of a process that no longer runs. */
const openEndedJournal = (dataDir: string) => openValidationJournal(dataDir, 999_999_999)

/** Returns the files that are to blame for two crashes. */
const blamedFiles = (dataDir: string, ...paths: string[]) => {
  const journal = openValidationJournal(dataDir)
  return paths.filter((path) => journal.takePoisonous(path))
}

test('two crashes are blamed on the files that were being read, and not on those read before', () => {
  const dataDir = temporaryFolder()
  for (let crash = 0; crash < 2; crash++) {
    const journal = openEndedJournal(dataDir)
    const paths = ['/a long name of a file that was read.part', '/b.part']
    const done = journal.begin(paths)
    journal.begin(['/b.part'])
    done()
  }
  expect(blamedFiles(dataDir, '/a long name of a file that was read.part', '/b.part', '/c.part')).toEqual(['/b.part'])
  expect(blamedFiles(dataDir, '/b.part')).toEqual([])
})

test('one crash, or the end of the program, is blamed on no file', () => {
  const dataDir = temporaryFolder()
  openEndedJournal(dataDir).begin(['/a.part'])
  for (let time = 0; time < 3; time++) {
    const journal = openEndedJournal(dataDir)
    journal.begin(['/a.part'])
    journal.close()
    // A file that begins to be read after the journal was closed does not restore its list.
    journal.begin(['/a.part'])
  }
  expect(blamedFiles(dataDir, '/a.part')).toEqual([])
  expect(readdirSync(join(dataDir, 'validating'))).toEqual(['ended.json'])
})

test('a journal that read nothing leaves nothing behind, and one with damaged notes starts anew', () => {
  const dataDir = temporaryFolder()
  openValidationJournal(dataDir).close()
  expect(existsSync(join(dataDir, 'validating'))).toBe(false)
  openEndedJournal(dataDir).begin(['/a.part'])
  openEndedJournal(dataDir).begin(['/a.part'])
  writeFileSync(join(dataDir, 'validating', 'ended.json'), '"nonsense"')
  expect(blamedFiles(dataDir, '/a.part')).toEqual([])
})

test('a file of a period has its rows inside, and no more of them than twice its grid; raw events have no such limit', () => {
  const limits = periodLimitsOf(flowSeries({ interval: '1h' }), '2026-08-01')
  const startMs = Date.UTC(2026, 7, 1)
  expect(limits).toEqual({ mostRows: 48, rowsWithin: { startMs, endMs: startMs + 86_400_000 } })
  expect(periodLimitsOf(flowSeries({ kind: 'raw', interval: '' }), '2026-08-01')).toEqual({})
  expect(periodLimitsOf(flowSeries(), 'no period')).toEqual({})
})
