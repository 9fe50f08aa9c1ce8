import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError } from '#shared/contract/errors.ts'
import { unopenedText } from '#shared/units/fileKind.ts'

/** Maximum number of links that are followed in a row; Linux follows as many. */
const MOST_LINKS = 40

/**
 * Resolves the links of a path to the file behind them, even if that file does not exist yet. Without this, writing a
 * file would replace the link, because the file is first written as a part file, which is then renamed.
 */
export function resolveLinks(path: string): string {
  let target = path
  for (let links = 0; lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink(); links++) {
    if (links === MOST_LINKS) throw new AppError('bad-input', unopenedText(path, 'ELOOP'))
    target = resolve(dirname(target), readlinkSync(target))
  }
  return target
}
