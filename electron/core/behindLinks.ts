import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { unopenedText } from '#shared/units/fileKind.ts'

/** Links that are followed one after the other, as many as Linux follows. */
const MOST_LINKS = 40

/**
 * Finds the file that is written where a user names a link: the one behind it, also where there is none yet. Files are
 * written beside their place and renamed, which would put the new file in the place of the link.
 */
export function behindLinks(path: string): string {
  let found = path
  for (let links = 0; lstatSync(found, { throwIfNoEntry: false })?.isSymbolicLink(); links++) {
    if (links === MOST_LINKS) throw new AppError('bad-input', unopenedText(path, 'ELOOP'))
    found = resolve(dirname(found), readlinkSync(found))
  }
  return found
}
