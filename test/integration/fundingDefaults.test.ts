import { expect, test } from 'vitest'
import { createApp } from '#core/app.ts'
import { fakeHost, fakePorts } from '../fakes/fakePorts.ts'
import { dataFolder } from '../fakes/dataFolder.ts'

const venue = { exchange: 'alpha-futures', symbol: null }

test('windows of this and of other processes hear of a typed funding period, and of imported instruments', async () => {
  const [ports, dataDir] = [fakePorts(), dataFolder()]
  const [app, other] = [1, 2].map(() => createApp(ports, { version: '0', dataDir, watchEveryMs: 20 }))
  const [client, window, otherWindow] = [app, app, other].map((each) => each.clientFor(fakeHost()))
  const hear = () =>
    Promise.all(
      [window, otherWindow].map(
        (each) => new Promise<void>((resolve) => void each.on('instruments.changed', () => resolve())),
      ),
    )
  let heard = hear()
  await client.call('funding.setDefault', { ...venue, every: '8h' })
  await heard
  expect(await otherWindow.call('funding.defaults', {})).toEqual([{ ...venue, every: '8h' }])
  heard = hear()
  await client.call('instruments.import', { text: 'exchange,symbol\nalpha-futures,A' })
  await heard
  expect(await otherWindow.call('instruments.list', {})).toHaveLength(1)
  await Promise.all([app.close(), other.close()])
})

test('what is no period of funding is refused with a sentence, and nothing is typed', async () => {
  const app = createApp(fakePorts(), { version: '0', dataDir: dataFolder() })
  const client = app.clientFor(fakeHost())
  for (const every of ['0m', '25h', '2d', 'often', ''])
    await expect(client.call('funding.setDefault', { ...venue, every }), every).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringMatching(`“${every}” is (not|longer)`) as string,
    })
  expect(await client.call('funding.defaults', {})).toEqual([])
  await app.close()
})
