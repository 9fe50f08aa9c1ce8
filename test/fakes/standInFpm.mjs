#!/usr/bin/env node
/**
 * Stands in for fpm, which the builder would download: it builds a Debian package with dpkg-deb from the arguments that
 * the builder gives to fpm, and the fields that fpm itself adds.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const flags = ['--force', '--debug']
const options = {}
const mappings = []
const args = process.argv.slice(2)
for (let at = 0; at < args.length; at++) {
  const [, name, joined] = /^(-{1,2}[\w-]+)(?:=([^]*))?$/.exec(args[at]) ?? []
  if (!name) mappings.push(args[at])
  else if (!flags.includes(name)) (options[name] ??= []).push(joined ?? args[++at])
}
const only = (name) => options[name]?.at(-1)
const staging = mkdtempSync(join(tmpdir(), 'perpscope-deb-'))
const put = (target, content, mode) => {
  const path = join(staging, target)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
}
for (const mapping of mappings) {
  const [from, to] = mapping.split('=')
  const isInside = to.endsWith('/')
  const target = join(staging, isInside ? join(to, basename(from)) : to)
  mkdirSync(dirname(target), { recursive: true })
  cpSync(from, target, { recursive: true })
}
// Like fpm, which copies modes, and gives folders those of its own umask.
const openFolders = (path) => {
  if (!statSync(path).isDirectory()) return
  chmodSync(path, 0o755)
  for (const name of readdirSync(path)) openFolders(join(path, name))
}
openFolders(staging)
const name = only('--name')
put(`usr/share/doc/${name}/changelog.gz`, gzipSync(readFileSync(only('--deb-changelog')), { level: 9 }), 0o644)
const [synopsis, ...description] = only('--description').split('\n')
const installedKb = Math.ceil(Number(execFileSync('du', ['-sk', staging]).toString().split('\t')[0]))
const fields = {
  Package: name,
  Version: only('--version'),
  License: only('--license'),
  Vendor: only('--vendor'),
  Architecture: execFileSync('dpkg', ['--print-architecture']).toString().trim(),
  Maintainer: only('--maintainer'),
  'Installed-Size': installedKb,
  Depends: [...(options['-d'] ?? []), ...(options['--depends'] ?? [])].join(', '),
  Recommends: options['--deb-recommends']?.join(', '),
  Section: only('--category'),
  Priority: only('--deb-priority'),
  Homepage: only('--url'),
  Description: [synopsis, ...description.map((line) => ` ${line.trim() || '.'}`)].join('\n'),
}
put(
  'DEBIAN/control',
  Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join(''),
  0o644,
)
put('DEBIAN/postinst', readFileSync(only('--after-install')), 0o755)
put('DEBIAN/postrm', readFileSync(only('--after-remove')), 0o755)
execFileSync('dpkg-deb', ['--build', '--root-owner-group', '-Zxz', '-z0', staging, only('--package')])
rmSync(staging, { recursive: true, force: true })
