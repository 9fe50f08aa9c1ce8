import { failureText } from './text/messages.ts'
import type { Connection, NamedConnection } from '#shared/contract/areas/connections.ts'
import type { Client } from '#shared/contract/client.ts'
import { Failure } from './failure.ts'
import { nearest } from './suggest.ts'

/** Finds a connection by its name, or the active one if no name is given. */
export async function findConnection(core: Client, name: string | undefined): Promise<NamedConnection> {
  const all = await core.call('connections.names', {})
  const found = name === undefined ? all.find(({ active }) => active) : all.find((each) => each.name === name)
  if (found) return found
  if (name === undefined) throw new Failure(failureText.noActiveConnection)
  const names = all.map((each) => each.name)
  const suggestion = nearest(name, names)
  throw new Failure(failureText.noSuchConnection(name, suggestion))
}

/** Finds a connection as `findConnection` does; it also reads the keychain for the state of the connection's keys. */
export async function findConnectionWithKeys(core: Client, name: string | undefined): Promise<Connection> {
  const { id } = await findConnection(core, name)
  const found = (await core.call('connections.list', {})).find((each) => each.id === id)
  if (!found) throw new Failure(failureText.noActiveConnection)
  return found
}
