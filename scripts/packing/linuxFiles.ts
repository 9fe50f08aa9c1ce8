/**
 * Writes to out/linux what a package has besides the program: the manual page, which npm installs too, and for Debian
 * the changelog and the copyright. It takes the options of the builder, which may name the maintainer.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { allCommands } from '../../electron/cli/registry.ts'
import { at } from '../project.mjs'
import { manPage } from './manPage.ts'

const { version, name } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as { version: string; name: string }
const releases = [...readFileSync(at('CHANGELOG.md'), 'utf8').matchAll(/^## \[([\d.]+)\] - (\d{4}-\d{2}-\d{2})$/gm)]

/** Returns the released versions as a changelog of Debian; what changed is in the project's own. */
function debianChangelog(maintainer: string): string {
  return releases
    .map(([, released, day]) => {
      const date = new Date(day).toUTCString().replace('GMT', '+0000')
      return `${name} (${released}) stable; urgency=medium\n\n  * Version ${released}.\n\n -- ${maintainer}  ${date}\n`
    })
    .join('\n')
}

function debianCopyright(): string {
  const [, owner, licence] = /^Copyright \(c\) (.*)\n\n([^]*)$/m.exec(readFileSync(at('LICENSE'), 'utf8'))!
  const indented = licence.trim().replaceAll(/^$/gm, '.').replaceAll(/^/gm, ' ')
  return [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Upstream-Name: Perpscope',
    'Comment: The licences of Electron and Chromium stand beside the program in',
    ' /opt/Perpscope; those of the packages in it under Settings, About.',
    '',
    'Files: *',
    `Copyright: ${owner}`,
    'License: Expat',
    indented,
    '',
  ].join('\n')
}

/** Returns who answers for the packages: the distributor who is named on the command line, or else the project. */
function maintainerIn(args: readonly string[]): string {
  const option = '-c.deb.maintainer='
  const given = args.find((each) => each.startsWith(option))?.slice(option.length)
  return given ?? /^ {2}maintainer: (.*)$/m.exec(readFileSync(at('electron-builder.yml'), 'utf8'))![1]
}

const folder = at('out', 'linux')
mkdirSync(folder, { recursive: true })
const [, , day] = releases.find(([, released]) => released === version) ?? releases[0]
const page = manPage({ commands: await allCommands(), version, day })
writeFileSync(join(folder, 'perpscope.1.gz'), gzipSync(page, { level: 9 }))
writeFileSync(join(folder, 'changelog'), debianChangelog(maintainerIn(process.argv)))
writeFileSync(join(folder, 'copyright'), debianCopyright())
