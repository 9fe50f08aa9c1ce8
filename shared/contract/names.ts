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
  'discovery.catalog',
  'discovery.coverage',
  'discovery.rawCatalog',
  'discovery.searchSymbols',
  'discovery.symbols',
  'files.pick',
  'files.received',
  'keys.set',
  'keys.remove',
  'portfolio.history',
  'portfolio.live',
  'portfolio.revisions',
  'portfolio.snapshot',
  'portfolio.snapshots',
  'portfolio.tickers',
  'portfolio.usedIds',
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
  'portfolio.changed',
  'requests.recorded',
  'saves.ready',
  'settings.changed',
  'vault.changed',
] as const

export type CallName = (typeof callNames)[number]
export type EventName = (typeof eventNames)[number]
