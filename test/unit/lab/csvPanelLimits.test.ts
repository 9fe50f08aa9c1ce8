import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCsvPanel } from '#core/lab/csvPanel.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const many = (count: number) => Array.from({ length: count }, (_, at) => `c${at}`).join(',')

test.for<[string, () => string, string]>([
  ['a million columns', () => `time,symbol,${many(1_000_000)}\n`, 'more than 4096 columns'],
  ['a row of 20 MB', () => `time,symbol,a\n0,"${'x'.repeat(20_000_000)}`, 'more than 16777216 characters'],
  ['a header without an end', () => ','.repeat(20_000_000), 'more than 16777216 characters'],
  ['a column that is there twice', () => 'time,symbol,a,a\n', 'the column a appears twice'],
])('a panel with %s is refused at once', async ([, text, message]) => {
  const path = join(temporaryFolder(), 'panel.csv')
  writeFileSync(path, text())
  const spentBefore = process.cpuUsage().user
  await expect(readCsvPanel(path, ['a'], { onBatch: () => undefined, batchRows: 1000 })).rejects.toThrow(message)
  expect((process.cpuUsage().user - spentBefore) / 1000).toBeLessThan(5000)
})
