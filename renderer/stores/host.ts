import { defineStore } from 'pinia'
import { readonly, type Ref, ref, shallowRef, watch } from 'vue'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import type { CallOptions } from '#shared/contract/client.ts'
import { AppError } from '#shared/contract/errors.ts'
import type { EventPayload } from '#shared/contract/events.ts'
import type { CallName, EventName } from '#shared/contract/names.ts'
import { setHostConnected } from '../components/lazyPart.ts'
import type { Host, ChannelState } from '../host/host.ts'

/**
 * Calls that add or save something. While such a call runs, a call with the same input is not made again, because it is
 * probably the second click of a double click.
 */
const actionNames: ReadonlySet<CallName> = new Set([
  'app.backup',
  'connections.add',
  'documents.create',
  'documents.export',
  'downloads.enqueue',
  'downloads.enqueueSet',
  'lab.chartTest',
  'lab.exportTest',
  'lab.fromPortfolio',
  'raw.exportReconciliation',
  'report.save',
  'requests.export',
  'series.export',
  'series.exportHive',
  'sql.export',
  'sql.toPanel',
  'sql.toSeries',
])

/** Host of this window, which is provided once at startup, and the state of the connection to the host. */
export const useHost = defineStore('host', () => {
  const host = shallowRef<Host | null>(null)
  const hostConnection = ref<ChannelState>('connecting')

  const runningActions = new Map<string, Promise<unknown>>()

  function provide(connected: Host): void {
    host.value = connected
    hostConnection.value = connected.channelState()
    connected.onChannelState((state) => (hostConnection.value = state))
    setHostConnected(() => hostConnection.value === 'connected')
  }

  function connectedHost(): Host {
    if (!host.value) throw new AppError('disconnected')
    return host.value
  }

  async function call<Name extends CallName, Kind extends string>(
    name: Name,
    input: CallInput<Name> & { kind?: Kind },
    options?: CallOptions,
  ): Promise<CallOutput<Name, Kind>> {
    if (options || !actionNames.has(name)) return connectedHost().call(name, input, options)
    const key = `${name} ${JSON.stringify(input)}`
    const running =
      runningActions.get(key) ??
      connectedHost()
        .call(name, input)
        .finally(() => runningActions.delete(key))
    runningActions.set(key, running)
    return running as Promise<CallOutput<Name, Kind>>
  }

  const on = <Name extends EventName>(name: Name, listener: (payload: EventPayload<Name>) => void) =>
    connectedHost().on(name, listener)

  /** Runs `load` whenever the connection is restored, because events were missed while it was lost. */
  function onReturn(load: () => unknown): void {
    watch(hostConnection, (now, before) => {
      if (now === 'connected' && before === 'lost') load()
    })
  }

  /** Loads a value and replaces it by the payload of each event with this name. */
  async function keepCurrent<Name extends EventName>(
    value: Ref<EventPayload<Name>>,
    event: Name,
    read: () => Promise<EventPayload<Name>>,
  ): Promise<void> {
    let changes = 0
    // An event that comes before the answer is newer than it.
    const load = async () => {
      const change = ++changes
      const found = await read()
      if (change === changes) value.value = found
    }
    on(event, (next) => {
      changes += 1
      value.value = next
    })
    onReturn(load)
    await load()
  }

  return { host, connectionState: readonly(hostConnection), provide, connectedHost, call, on, onReturn, keepCurrent }
})
