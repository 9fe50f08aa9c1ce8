import { AppError } from '#shared/contract/errors.ts'
import type { Ports, WindowHost } from '#core/ports.ts'
import { fakeClock, type FakeClock } from './fakeClock.ts'
import { fakeLog, type FakeLog } from './fakeLog.ts'
import { fakeVault, type FakeVault } from './fakeVault.ts'

export interface FakePorts extends Ports {
  vault: FakeVault
  log: FakeLog
  clock: FakeClock
  /** Implementation of `startSandbox`; by default it fails. */
  onStartSandbox: Ports['startSandbox']
}

export function fakePorts(): FakePorts {
  const ports: FakePorts = {
    vault: fakeVault(),
    log: fakeLog(),
    clock: fakeClock(),
    startSandbox: () => ports.onStartSandbox(),
    onStartSandbox: () => Promise.reject(new AppError('unsupported', 'There is no sandbox in this test.')),
  }
  return ports
}

export interface FakeHost extends WindowHost {
  saved: { name: string; text: string }[]
}

/** Creates a window host whose user accepts every proposed file name. */
export function fakeHost(): FakeHost {
  const saved: FakeHost['saved'] = []
  return {
    saved,
    kind: 'command line',
    pickFiles: null,
    async save({ name }, open) {
      let text = ''
      for await (const chunk of open()) text += String(chunk)
      saved.push({ name, text })
      return { name, path: null }
    },
  }
}
