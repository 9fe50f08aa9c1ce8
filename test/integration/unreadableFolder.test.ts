import { expect, test, vi } from 'vitest'
import { run } from '../../electron/cli/run.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

vi.mock('#core/store/readOnlyCopy.ts', () => ({
  openReadOnlyCopy: (dataDir: string) =>
    Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES', path: `${dataDir}/perpscope.sqlite` })),
}))

test('a data folder of somebody else says what cannot be read, and what to do', async () => {
  let stderr = ''
  const dataDir = temporaryFolder()
  const status = await run(['ls', '--data-dir', dataDir], {
    stdout: { write: () => true },
    stderr: { write: (text: string) => (stderr += text) },
    env: {},
    signal: new AbortController().signal,
    isReadOnly: () => true,
  })
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining(`${dataDir}/perpscope.sqlite cannot be read: you have no permission.`),
  ])
})
