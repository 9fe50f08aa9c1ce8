import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A name by which the service documents call a venue. */
const venueToken = /venue[abc]/i

/** Lists the places of a text that name a venue of the service documents, with what is around them. */
export function venueTokensIn(place: string, text: string): string[] {
  const found = text.matchAll(new RegExp(venueToken, 'gi'))
  return Array.from(found, ({ index }) => `${place}: …${text.slice(Math.max(0, index - 60), index + 40)}…`)
}

/** Lists the files below a folder that name a venue of the service documents, in their paths or contents. */
export function venueTokensBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const inPath = venueTokensIn('path', path.slice(folder.length))
    return entry.isFile() ? [...inPath, ...venueTokensIn(path, readFileSync(path, 'latin1')).slice(0, 3)] : inPath
  })
}
