import { failureText } from '../text/messages.ts'
import type { DownloadSet } from '#shared/contract/areas/downloads.ts'
import type { Client } from '#shared/contract/client.ts'
import { Failure } from '../failure.ts'
import { nearest } from '../suggest.ts'

/** Finds a download set by its name, which is not case-sensitive. */
export async function findSet(core: Client, connectionId: string, name: string): Promise<DownloadSet> {
  const sets = await core.call('downloads.sets', { connectionId })
  const found = sets.find((set) => set.name.toLowerCase() === name.trim().toLowerCase())
  if (found) return found
  const suggestion = nearest(
    name,
    sets.map((set) => set.name),
  )
  throw new Failure(failureText.noSuchSet(name, suggestion))
}
