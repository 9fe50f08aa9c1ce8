import { expect, it } from 'vitest'
import { openDataFolder } from '#core/store/dataFolder.ts'
import { dataFolder } from '../fakes/dataFolder.ts'
import { commandPromises } from './promises/commandPromises.ts'
import { contractPromises } from './promises/contractPromises.ts'
import { comparePromises } from './promises/promises.ts'
import { sourcePromises } from './promises/sourcePromises.ts'
import { storePromises } from './promises/storePromises.ts'

it('keeps the commands, calls, events, settings, tables and log messages of 0.1.0', async () => {
  comparePromises(expect, {
    ...(await commandPromises()),
    ...contractPromises(),
    ...sourcePromises(),
    ...storePromises(openDataFolder(dataFolder()).indexPath),
  })
})
