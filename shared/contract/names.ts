/** Names alone, without schemas: the sandboxed preload checks against these. `calls.ts` and `events.ts` are typed to match. */

export const callNames = [
  'app.info',
  'app.check',
  'app.diagnostics',
  'connections.list',
  'connections.add',
  'connections.edit',
  'connections.use',
  'connections.remove',
  'connections.test',
  'coverage.cachedSeries',
  'coverage.cachedShares',
  'coverage.periods',
  'coverage.refusals',
  'discovery.catalog',
  'discovery.coverage',
  'discovery.rawCatalog',
  'discovery.searchSymbols',
  'discovery.symbols',
  'files.pick',
  'files.received',
  'keys.set',
  'keys.remove',
  'requests.list',
  'requests.clear',
  'requests.export',
  'settings.read',
  'settings.change',
  'vault.status',
] as const

export const eventNames = [
  'connections.changed',
  'discovery.changed',
  'files.received',
  'links.opened',
  'menu.chosen',
  'requests.recorded',
  'saves.ready',
  'settings.changed',
  'vault.changed',
] as const

export type CallName = (typeof callNames)[number]
export type EventName = (typeof eventNames)[number]
