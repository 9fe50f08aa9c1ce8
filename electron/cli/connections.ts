import type { Connection } from '#shared/contract/areas/connections.ts'
import type { Client } from '#shared/contract/client.ts'
import { Failure } from './failure.ts'
import { nearest } from './suggest.ts'

/** The connection of this name; without a name the active one. */
export async function findConnection(client: Client, name: string | undefined): Promise<Connection> {
  const all = await client.call('connections.list', {})
  const found = name === undefined ? all.find(({ active }) => active) : all.find((each) => each.name === name)
  if (found) return found
  if (name === undefined)
    throw new Failure('No connection is in use. Choose one with “perpscope connection use NAME”, or add one.')
  const names = all.map((each) => each.name)
  const meant = nearest(name, names)
  const hint = meant ? `Did you mean “${meant}”?` : 'List them with “perpscope connection list”.'
  throw new Failure(`There is no connection “${name}”. ${hint}`)
}
