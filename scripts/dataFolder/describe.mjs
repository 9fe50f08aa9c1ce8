/** Records what a version of the program answers about the content of the data folder that it made. */
import { comparableOutput, readingCommands } from './readings.mjs'
import { series } from './fill.mjs'

/** @param {import('./oldVersion.mjs').OldVersion} old */
export async function describeFolder({ run, sandbox, dataDir, withCore }) {
  const known = { overlays: sandbox.overlays, regimes: sandbox.regimes }
  const commands = []
  for (const args of readingCommands(known)) {
    const stdout = await run(...args, '--offline', '--json')
    commands.push({ args, output: comparableOutput(stdout, dataDir) })
  }
  return { known, commands, ...(await withCore(describeWindow)) }
}

/** Reads by contract calls what the command line cannot print: settings, workspaces, snapshots and computed series. */
async function describeWindow(client) {
  const connections = await client.call('connections.list', {})
  const connectionId = connections.find(({ name }) => name === 'desk').id
  const workspaces = []
  for (const { id } of await client.call('workspaces.list', {}))
    workspaces.push(await client.call('workspaces.read', { id }))
  const request = { endpoint: 'weights', portfolio: 'momentum_ls.20', asOf: 'latest' }
  const snapshots = await client.call('portfolio.snapshots', { connectionId, request, limit: 100 })
  const { rows } = await client.call('series.read', {
    ...{ connectionId: `${connectionId}~computed`, ...series, dataset: 'ohlcv', columns: ['close'] },
    ...{ startMs: Date.parse('2026-09-01'), endMs: Date.parse('2026-09-03') },
  })
  const computed = rows.columns.map(({ name, values }) => ({ name, values: [...values] }))
  return { settings: await client.call('settings.read', {}), workspaces, snapshots, computed }
}
