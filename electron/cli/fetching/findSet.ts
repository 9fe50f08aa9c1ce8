import type { DownloadSet } from '#shared/contract/areas/downloads.ts'
import type { Client } from '#shared/contract/client.ts'
import { Failure } from '../failure.ts'
import { nearest } from '../suggest.ts'

/** The set of this name; small and capital letters are the same. */
export async function findSet(core: Client, connectionId: string, name: string): Promise<DownloadSet> {
  const sets = await core.call('downloads.sets', { connectionId })
  const found = sets.find((set) => set.name.toLowerCase() === name.trim().toLowerCase())
  if (found) return found
  const meant = nearest(
    name,
    sets.map((set) => set.name),
  )
  const hint = meant ? `Did you mean “${meant}”?` : 'List them with “perpscope set list”.'
  throw new Failure(`There is no download set “${name}” for this connection. ${hint}`)
}
