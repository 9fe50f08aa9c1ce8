import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { commandIds } from '#shared/contract/commandIds.ts'
import { linkScheme, routeOfLink } from '../../electron/main/openings.ts'
import { fieldsOfValue } from '../contract/promises/fields.ts'
import { comparePromises, sortedSet, type Promises } from '../contract/promises/promises.ts'
import { startedDesktop } from '../fakes/startedDesktop.ts'

vi.mock('electron', () => import('../fakes/electron.ts'))

/** Lists the files that the desktop app adds to the data folder, and the links that it opens. */
async function desktopPromises(): Promise<Promises> {
  const { dataDir, window } = await startedDesktop()
  window.close()
  const names = readdirSync(dataDir).filter((name) => !/-(shm|wal)$/.test(name))
  const documents = names.filter((name) => name.endsWith('.json'))
  const screens = commandIds.filter((id) => id.startsWith('go.')).map((id) => id.slice('go.'.length))
  const links = screens.map((screen) => `${linkScheme}://${screen}`).filter((link) => routeOfLink(link) !== null)
  return {
    'desktop data folder': sortedSet(names),
    'desktop documents': sortedSet(
      documents.flatMap((name) => {
        const document: unknown = JSON.parse(readFileSync(join(dataDir, name), 'utf8'))
        return fieldsOfValue(document).map((field) => `${name}: ${field}`)
      }),
    ),
    'deep links': sortedSet(links.map((link) => `${link} opens #${routeOfLink(link)}`)),
  }
}

it('keeps the links and the files that the desktop app of 0.1.0 had', async () => {
  const current = await desktopPromises()
  comparePromises(expect, current)
})
