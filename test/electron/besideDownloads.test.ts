import { EventEmitter } from 'node:events'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DownloadItem, SaveDialogOptions, Session } from 'electron'
import { expect, it, vi } from 'vitest'

vi.mock('electron', () => import('../fakes/electron.ts'))
import { saveCompanions } from '../../electron/main/saveDialogs.ts'
import { temporaryFolder } from '../fakes/temporaryFolder.ts'

/** Fakes a download item of Electron; an item without a path asks the user for one. */
function fakeItem(name: string) {
  let path = ''
  let options: SaveDialogOptions = {}
  const events = new EventEmitter()
  return Object.assign(events, {
    getFilename: () => name,
    getSavePath: () => path,
    setSavePath: (to: string) => void (path = to),
    setSaveDialogOptions: (wanted: SaveDialogOptions) => void (options = wanted),
    getSaveDialogOptions: () => options,
    end(state: 'completed' | 'cancelled', content = '') {
      if (state === 'completed') writeFileSync(path, content)
      events.emit('done', {}, state)
    },
  })
}

function twoDownloads() {
  const [aside, chosen] = [temporaryFolder(), temporaryFolder()]
  const session = new EventEmitter()
  saveCompanions(session as unknown as Session, aside)
  const [csv, provenance] = [fakeItem('weights.csv'), fakeItem('weights.csv.provenance.json')]
  for (const item of [csv, provenance]) session.emit('will-download', {}, item as unknown as DownloadItem)
  return { aside, chosen, csv, provenance }
}

it('asks only where to save the file itself, and puts its companion beside it', async () => {
  const { aside, chosen, csv, provenance } = twoDownloads()
  expect(csv.getSavePath()).toBe('')
  expect(provenance.getSavePath()).toContain(aside)
  provenance.end('completed', '{"from":"Desk"}')
  csv.setSavePath(join(chosen, 'mine.csv'))
  csv.end('completed', 'day,BTC')
  // The copied companion is complete only when its source is gone, because its name appears before its content.
  await expect.poll(() => readdirSync(aside)).toEqual([])
  expect(readFileSync(join(chosen, 'mine.csv.provenance.json'), 'utf8')).toBe('{"from":"Desk"}')
})

it('asks under the name of the file, and before it replaces another one', () => {
  const { csv } = twoDownloads()
  expect(csv.getSaveDialogOptions()).toMatchObject({
    title: 'Save weights.csv',
    filters: [{ extensions: ['csv'] }],
    properties: expect.arrayContaining(['showOverwriteConfirmation']) as unknown,
  })
})

it('leaves nothing where the person declined', async () => {
  const { aside, chosen, csv, provenance } = twoDownloads()
  provenance.end('completed', '{}')
  csv.end('cancelled')
  await expect.poll(() => readdirSync(aside)).toEqual([])
  expect(readdirSync(chosen)).toEqual([])
})
