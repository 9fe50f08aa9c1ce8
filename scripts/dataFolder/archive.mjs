/**
 * Packs a folder into one gzip file and unpacks it: a line of JSON with the names and lengths of the files, then the
 * bytes of all files.
 */
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

export function packFolder(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
  const files = names.map((name) => ({ path: name.replaceAll('\\', '/'), bytes: readFileSync(join(folder, name)) }))
  const index = files.map(({ path, bytes }) => [path, bytes.length])
  return gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...files.map(({ bytes }) => bytes)]), {
    level: 9,
  })
}

export function unpackFolder(packed, folder) {
  const bytes = gunzipSync(packed)
  let offset = bytes.indexOf('\n') + 1
  for (const [path, length] of JSON.parse(bytes.toString('utf8', 0, offset))) {
    const target = join(folder, ...path.split('/'))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, bytes.subarray(offset, offset + length))
    offset += length
  }
}
