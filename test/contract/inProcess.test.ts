import { createClient } from '#shared/contract/client.ts'
import type { FromWindow, ToWindow } from '#shared/contract/protocol.ts'
import { fakeHost } from '../fakes/fakePorts.ts'
import { loopbackChannel } from '../fakes/loopbackChannel.ts'
import { describeContract } from './suite.ts'

describeContract('a client in this process', (app) => ({
  client: app.clientFor(fakeHost()),
  drop: null,
  sendRaw: null,
  close() {},
}))

describeContract('a channel that clones', (app) => {
  const { left, right, close } = loopbackChannel<FromWindow, ToWindow>()
  app.openSession(right, fakeHost())
  return {
    client: createClient(left),
    drop: close,
    sendRaw: (message) => left.send(message as FromWindow),
    close,
  }
})
