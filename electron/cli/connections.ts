import { failureText } from './text/messages.ts'
import type { Connection } from '#shared/contract/areas/connections.ts'
import type { Client } from '#shared/contract/client.ts'
import { Failure } from './failure.ts'
import { nearest } from './suggest.ts'

/** Finds a connection by name; without a name, the active one. */
export async function findConnection(client: Client, name: string | undefined): Promise<Connection> {
  const all = await client.call('connections.list', {})
  const found = name === undefined ? all.find(({ active }) => active) : all.find((each) => each.name === name)
  if (found) return found
  if (name === undefined) throw new Failure(failureText.noActiveConnection)
  const names = all.map((each) => each.name)
  const meant = nearest(name, names)
  throw new Failure(failureText.noSuchConnection(name, meant))
}
