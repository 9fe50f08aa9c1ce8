import { lstatSync, symlinkSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, expect, it, vi } from 'vitest'
import { desktopHost } from '../../electron/main/saveDialogs.ts'
import { BrowserWindow } from 'electron'
import { desktop, resetDesktop } from '../fakes/electron.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

beforeEach(() => resetDesktop())

const host = () => desktopHost(new BrowserWindow({}))
const file = { name: 'returns.csv', type: 'text/csv' }

function personSavesAs(name: string): string {
  const path = join(temporaryFolder(), name)
  desktop.answers.set('save', { canceled: false, filePath: path })
  return path
}

it('saves under the name the person chose', async () => {
  const path = personSavesAs('mine.csv')
  const saved = await host().save(file, () => Readable.from(['a,b\n', '1,2\n']))
  expect(saved).toEqual({ name: 'mine.csv', path })
  expect(readFileSync(path, 'utf8')).toBe('a,b\n1,2\n')
  expect(readdirSync(join(path, '..'))).toEqual(['mine.csv'])
})

it('writes the file behind a link, which stays', async () => {
  const path = personSavesAs('latest.csv')
  const real = join(path, '..', 'august.csv')
  symlinkSync(real, path)
  await host().save(file, () => Readable.from(['a']))
  expect(readFileSync(real, 'utf8')).toBe('a')
  expect(lstatSync(path).isSymbolicLink()).toBe(true)
})

it('shows in its folder what was saved from the same window, and nothing else', async () => {
  const window = new BrowserWindow({})
  const path = personSavesAs('mine.csv')
  await desktopHost(window).save(file, () => Readable.from(['a']))
  desktopHost(window).reveal?.(path)
  expect(desktop.opened).toEqual([path])
  expect(() => desktopHost(window).reveal?.('/etc/passwd')).toThrow('not saved')
  expect(() => host().reveal?.(path)).toThrow('not saved')
  expect(desktop.opened).toEqual([path])
})

it('proposes the name, never a folder out of it', async () => {
  await host().save({ name: '../../etc/returns.csv', type: 'text/csv' }, () => Readable.from([]))
  expect(desktop.dialogs).toMatchObject([
    { kind: 'save', options: { defaultPath: 'returns.csv', filters: [{ name: 'CSV', extensions: ['csv'] }] } },
  ])
})

it('asks before it replaces another file', async () => {
  await host().save(file, () => Readable.from([]))
  expect(desktop.dialogs).toMatchObject([
    { options: { properties: expect.arrayContaining(['showOverwriteConfirmation']) } },
  ])
})

it('begins where the person was last, because Electron’s dialogs do not remember', async () => {
  const window = new BrowserWindow({})
  const path = personSavesAs('mine.csv')
  await desktopHost(window).save(file, () => Readable.from(['a']))
  const pickedIn = join(temporaryFolder(), 'a.parquet')
  desktop.answers.set('open', { canceled: false, filePaths: [pickedIn] })
  await desktopHost(window).pickFiles?.('parquet')
  await desktopHost(window).save(file, () => Readable.from(['a']))
  const beginnings = desktop.dialogs.map(({ options }) => (options as { defaultPath?: string }).defaultPath)
  expect(beginnings).toEqual(['returns.csv', dirname(path), join(dirname(pickedIn), 'returns.csv')])
})

it('writes nothing, and does not even begin to read, where the person cancels', async () => {
  const source = vi.fn(() => Readable.from(['x']))
  expect(await host().save(file, source)).toBeNull()
  expect(source).not.toHaveBeenCalled()
})

it('keeps the old file whole where the source fails half-way', async () => {
  const path = personSavesAs('mine.csv')
  writeFileSync(path, 'old')
  const source = function* () {
    yield 'new'
    throw new Error('broken')
  }
  await expect(host().save(file, () => Readable.from(source()))).rejects.toThrow('broken')
  expect(readFileSync(path, 'utf8')).toBe('old')
  expect(readdirSync(join(path, '..'))).toEqual(['mine.csv'])
})

it.each([
  ['ENOSPC', 'disk-full'],
  ['EACCES', 'unsupported'],
  ['EROFS', 'unsupported'],
])('has words for %s', async (code, expected) => {
  personSavesAs('mine.csv')
  const source = new Readable({
    read() {
      this.destroy(Object.assign(new Error('no'), { code }))
    },
  })
  await expect(host().save(file, () => source)).rejects.toMatchObject({ code: expected })
})

it('hands on what the person picked, of the right kind', async () => {
  desktop.answers.set('open', { canceled: false, filePaths: ['/a.parquet', '/b.parquet'] })
  expect(await host().pickFiles?.('parquet')).toEqual(['/a.parquet', '/b.parquet'])
  expect(desktop.dialogs).toMatchObject([{ options: { filters: [{ extensions: ['parquet'] }] } }])
})

it('hands on the folder the person picked, or none', async () => {
  desktop.answers.set('open', { canceled: false, filePaths: ['/mnt/data'] })
  expect(await host().pickFolder?.()).toBe('/mnt/data')
  desktop.answers.set('open', { canceled: true, filePaths: [] })
  expect(await host().pickFolder?.()).toBeNull()
})

it('picks nothing where the person cancels', async () => {
  expect(await host().pickFiles?.('workspace')).toEqual([])
})
