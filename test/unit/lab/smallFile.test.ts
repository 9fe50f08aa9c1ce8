import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readStudyDocument } from '#core/lab/readStudyDocument.ts'
import { createReceivedFiles } from '#core/receivedFiles.ts'
import { readSmallFile } from '#core/smallFile.ts'
import { createEventBus } from '#core/eventBus.ts'
import { readGivenText } from '../../../electron/cli/givenText.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const readGiven = (path: string) => readGivenText(path, 100)
const hasPipes = process.platform !== 'win32'

test.runIf(hasPipes)('a named pipe is refused at once by everything that reads a small file', () => {
  const path = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  for (const read of [readSmallFile, readGiven, readStudyDocument])
    expect(() => read(path)).toThrow('is a named pipe, not a file')
})

test('a folder and a file that is missing are refused with their reason, and text is read', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'a.csv'), 'text')
  expect(readSmallFile(join(folder, 'a.csv'))).toBe('text')
  expect(() => readSmallFile(folder)).toThrow('is a folder, not a file')
  expect(() => readGiven(join(folder, 'none'))).toThrow(`There is no file ${join(folder, 'none')}.`)
})

test('a file that grew after it was received is not read beyond its limit', async () => {
  const path = join(temporaryFolder(), 'a.json')
  writeFileSync(path, '{}')
  const received = createReceivedFiles(createEventBus(() => {}))
  const [{ id }] = await received.add([path])
  expect(await received.readText(id, 100)).toEqual({ name: 'a.json', text: '{}' })
  writeFileSync(path, 'x'.repeat(101))
  await expect(async () => received.readText(id, 100)).rejects.toMatchObject({ code: 'too-large' })
})

test.runIf(process.platform === 'linux')(
  'a file of the system that claims no size is not read beyond its limit',
  () => {
    expect(() => readSmallFile('/proc/self/maps', 100)).toThrow('larger than')
    expect(readSmallFile('/proc/self/maps', 10_000_000).length).toBeGreaterThan(100)
  },
)
