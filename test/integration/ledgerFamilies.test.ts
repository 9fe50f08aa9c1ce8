import Sqlite from 'better-sqlite3'
import { join } from 'node:path'
import type { RunDraft } from '#core/store/ledger/ledger.ts'
import { documentHash, familyOf, keyOf } from '#core/store/ledger/studyIdentity.ts'
import { parsePortfolioStudy } from '#shared/lab/parseStudy.ts'
import { expect, test } from 'vitest'
import { openTestLedger } from '../fakes/openTestLedger.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

const studyWith = (fundingEvery: string | null) =>
  parsePortfolioStudy(
    {
      ...{
        version: 1,
        kind: 'portfolio',
        interval: '1h',
        start: '2026-07-01',
        end: '2026-07-04',
        signal: 'ohlcv.close',
      },
      source: { exchanges: ['alpha-futures'], timestamp: 'exchange', fundingEvery },
    },
    { fromCache: true },
  )

/** Family that version 0.2.0 stated, in which the funding period still counted. */
const OLD_FAMILY = 'a'.repeat(64)

function draft(fundingEvery: string | null, family: string): RunDraft {
  const study = studyWith(fundingEvery)
  const inputs = [{ name: 'cache', sha256: 'b'.repeat(64), bytes: 10 }]
  const hash = documentHash(study)
  return {
    ...{ event: 'run', kind: 'portfolio', role: 'test', documentHash: hash, study, inputs, family },
    key: keyOf({ documentHash: hash, inputs, readUntil: null }),
    ...{ holdoutFromDay: null, firstDay: '2026-07-01', grid: null },
    summary: { days: 3, sharpe: 0.1, totalReturn: 0.1, maxDrawdown: 0, ruined: false },
    returns: Float64Array.of(0.01, 0.02, 0.01),
  }
}

test('a trial of 0.2.0 counts with the family of its document, and so does the holdout that was opened for it', () => {
  const dataDir = temporaryFolder()
  const family = familyOf(studyWith(null))
  const ledger = openTestLedger(dataDir)
  ledger.append([{ event: 'holdoutOpened', family: OLD_FAMILY, holdoutFromDay: '2026-07-04' }], 'window')
  ledger.append([draft('8h', OLD_FAMILY)], 'window')
  ledger.append([draft('4h', family)], 'window')
  expect([ledger.tables.trialsOf(family).length, ledger.tables.isHoldoutOpened(family)]).toEqual([2, true])
  const [, entry] = [...ledger.tables.entries()].map(({ entry: each }) => each)
  expect(entry).toMatchObject({ family: OLD_FAMILY, study: { source: { fundingEvery: '8h' } } })
  ledger.close()

  const path = join(dataDir, 'ledger.sqlite')
  const database = new Sqlite(path)
  database.exec(`
    UPDATE entries SET family = '${OLD_FAMILY}' WHERE position <= 2;
    DROP INDEX entries_by_event;
    ALTER TABLE entries DROP COLUMN merged_at_ms;
    PRAGMA user_version = 1;
  `)
  database.close()
  const reopened = openTestLedger(dataDir)
  expect([reopened.tables.trialsOf(family).length, reopened.tables.isHoldoutOpened(family)]).toEqual([2, true])
  expect(reopened.verify()).toBeNull()
})
