import { venuesOfDocuments } from '#shared/catalog/venues.ts'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import type { Settings } from '#shared/contract/areas/settings.ts'
import type { Connection } from '#shared/contract/areas/connections.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { EventPayload } from '#shared/contract/events.ts'
import type { CallName, EventName } from '#shared/contract/names.ts'
import type { Host, ChannelState } from '../../renderer/host/host.ts'

type Answers = { [Name in CallName]?: (input: CallInput<Name>, options: CallOptions) => unknown }

export interface FakeWindowHost extends Host {
  /** Calls of the window, in order. */
  calls: [name: CallName, input: unknown][]
  /** Replaces the response to a call; throw to refuse the call. */
  answer<Name extends CallName>(
    name: Name,
    how: (input: CallInput<Name>, options: CallOptions) => CallOutput<Name> | Promise<CallOutput<Name>>,
  ): void
  emit<Name extends EventName>(name: Name, payload: EventPayload<Name>): void
  setChannelState(state: ChannelState): void
}

const noKey = { set: false, ending: null, kept: null } as const

export const fakeConnection = (overrides: Partial<Connection> = {}): Connection => ({
  id: 'desk',
  name: 'Desk',
  metricsUrl: 'https://metrics.example.com',
  portfolioUrl: '',
  catalogLocation: '',
  tier: null,
  active: false,
  builtIn: false,
  keys: { metrics: noKey, portfolio: noKey },
  ...overrides,
})

/** Creates a host without a core, which responds to the window's calls as the test says. */
export function fakeWindowHost(kind: Host['kind'] = 'browser'): FakeWindowHost {
  let settings: Settings = defaultSettings
  let channelState: ChannelState = 'connected'
  const calls: FakeWindowHost['calls'] = []
  const listeners = new Map<string, Set<(payload: never) => void>>()
  const channelListeners = new Set<(state: ChannelState) => void>()
  const answers: Answers = {
    'lab.trials': () => [],
    'settings.read': () => settings,
    'settings.change': (patch) => (settings = { ...settings, ...patch }),
    'connections.list': () => [fakeConnection({ id: 'sandbox', name: 'Sandbox', builtIn: true, active: true })],
    'connections.servedUnits': () => [],
    'connections.venues': () => [...venuesOfDocuments.list],
    'downloads.progress': () => ({
      counts: { queued: 0, running: 0, waiting: 0, paused: 0, done: 0, failed: 0, cancelled: 0 },
      bytesPerSecond: 0,
      secondsLeft: 0,
      running: [],
      holds: [],
      here: true,
    }),
    'files.received': () => [],
    'network.door': () => ({ open: null, problem: null }),
    'network.state': () => ({ offline: false, unreachable: [] }),
    'downloads.sets': () => [],
    'vault.status': () => ({ available: true, name: 'Test keychain', message: null }),
  }
  return {
    kind,
    calls,
    answer: (name, how) => void Object.assign(answers, { [name]: how }),
    async call<Name extends CallName, Kind extends string>(
      name: Name,
      input: CallInput<Name> & { kind?: Kind },
      options: CallOptions = {},
    ) {
      // A real channel copies messages, so a value that cannot be copied must fail here too.
      calls.push([name, structuredClone(input)])
      const answer = answers[name] as ((input: unknown, options: CallOptions) => unknown) | undefined
      if (!answer) throw new AppError('unknown-call', name)
      return (await answer(input, options)) as CallOutput<Name, Kind>
    },
    on(name, listener) {
      const group = listeners.get(name) ?? new Set()
      listeners.set(name, group.add(listener as (payload: never) => void))
      return () => group.delete(listener as (payload: never) => void)
    },
    emit(name, payload) {
      for (const listener of listeners.get(name) ?? []) listener(payload as never)
    },
    pickFiles: async () => 1,
    receiveDropped: async () => {},
    openPane: async () => {},
    channelState: () => channelState,
    onChannelState(listener) {
      channelListeners.add(listener)
      return () => channelListeners.delete(listener)
    },
    setChannelState(state) {
      channelState = state
      for (const listener of channelListeners) listener(state)
    },
  }
}
