import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writePanelRows } from '#core/lab/panelRows.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

test('a failure to read the rows is not said of the file that is written, which does not appear', async () => {
  const path = join(temporaryFolder(), 'panel.csv')
  const denied = Object.assign(new Error('EACCES: open /data/input.parquet'), { code: 'EACCES' })
  function* unreadable(): Generator<never> {
    throw denied
  }
  await expect(writePanelRows({ columns: ['a'], hasMember: false }, unreadable(), path)).rejects.toBe(denied)
  expect([path, `${path}.part`].map((each) => existsSync(each))).toEqual([false, false])
})
