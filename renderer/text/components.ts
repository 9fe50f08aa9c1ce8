import { formatDuration } from '#shared/units/durations.ts'
import { zonedTime, type Zone } from '#shared/units/instants.ts'

export const componentsText = {
  resize: 'Size of the details',
  close: 'Close',
  changed: (options: number) => `${options} changed`,
  copy: 'Copy',
  copied: 'Copied',
  example: (language: string) => `${language} example`,

  partNotLoaded: 'A part of the window could not be loaded.',
  boundary: {
    title: 'This screen stopped working',
    body: 'The rest of Perpscope still works, and no data is lost. Error:',
    reload: 'Reload this screen',
    reloadWindow: 'Reload the window',
    copyDetails: 'Copy details',
  },

  error: {
    retry: 'Try again',
    retrying: 'Retrying …',
    status: (status: number) => `status ${status}`,
    request: (id: string) => `request ${id}`,
    service: (facts: string) => (facts ? `The service (${facts})` : 'The service'),
    noDetails: 'gave no details.',
    setKey: 'Set API key',
    connections: 'Connections',
    cacheSettings: 'Cache settings',
  },

  freshness: {
    generated: (timeMs: number, zone: Zone) => `Generated ${zonedTime(timeMs, zone)} ·`,
    fetched: (timeMs: number, zone: Zone, isOffline: boolean) =>
      `${isOffline ? 'Cached on' : 'As of'} ${zonedTime(timeMs, zone)}`,
    age: (ageMs: number) => `Fetched ${formatDuration(ageMs)} ago`,
    source: (source: string) => `from ${source}`,
    notCached: 'Not cached',
    notLoaded: 'Not loaded yet',
    refresh: 'Refresh',
    refreshing: 'Refreshing …',
    refreshLabel: (what: string) => `Refresh the ${what}`,
    refreshingLabel: (what: string) => `Refreshing … (${what})`,
  },

  changes: {
    none: 'No changes since the last refresh',
    more: ', …',
    close: 'Hide the list of changes',
  },

  sandbox: { name: 'Sandbox', hint: 'Synthetic data from the sandbox services that ship with Perpscope' },
  preview: { name: 'Preview', hint: 'From a connection of previews: one month of one symbol on each venue' },
  then: 'then',
  messages: { label: 'Messages', close: 'Close message' },
} as const
