import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/** A package of Python, as pip installs it without building anything. */
interface Wheel {
  name: string
  bytes: Buffer
}

/** Makes a wheel of the Python module: a typed package whose bytes are the same for the same module. */
export function pythonWheel(folder: string): Wheel {
  const text = (name: string) => readFileSync(join(folder, name), 'utf8')
  const project = text('pyproject.toml')
  const version = fieldOf(project, 'version')
  const info = `perpscope-${version}.dist-info`
  const files: [path: string, content: string][] = [
    ['perpscope/__init__.py', text('perpscope.py')],
    ['perpscope/py.typed', text('py.typed')],
    [`${info}/METADATA`, metadataOf(project, version)],
    [`${info}/WHEEL`, 'Wheel-Version: 1.0\nGenerator: perpscope\nRoot-Is-Purelib: true\nTag: py3-none-any\n'],
  ]
  const recordPath = `${info}/RECORD`
  const record = [...files.map(recordLine), `${recordPath},,`, ''].join('\n')
  return { name: `perpscope-${version}-py3-none-any.whl`, bytes: zipOf([...files, [recordPath, record]]) }
}

function fieldOf(project: string, name: string): string {
  const [, value] = new RegExp(`^${name} = "(.*)"$`, 'm').exec(project) ?? []
  if (value === undefined) throw new Error(`pyproject.toml has no ${name}`)
  return value
}

function metadataOf(project: string, version: string): string {
  const extras = [...project.matchAll(/^(\w+) = \[(.*)\]$/gm)]
    .filter(([line]) => project.indexOf(line) > project.indexOf('[project.optional-dependencies]'))
    .filter(([, name]) => name !== 'include')
  return [
    'Metadata-Version: 2.1',
    'Name: perpscope',
    `Version: ${version}`,
    `Summary: ${fieldOf(project, 'description')}`,
    `Requires-Python: ${fieldOf(project, 'requires-python')}`,
    ...extras.flatMap(([, name, list]) => [
      `Provides-Extra: ${name}`,
      ...[...list.matchAll(/"([^"]+)"/g)].map(([, needed]) => `Requires-Dist: ${needed}; extra == '${name}'`),
    ]),
    '',
  ].join('\n')
}

const recordLine = ([path, content]: [string, string]): string =>
  `${path},sha256=${createHash('sha256').update(content).digest('base64url')},${Buffer.byteLength(content)}`

/** 1 January 1980, the first day that the format knows. */
const FIRST_DAY = 0x21
const UTF8_NAMES = 0x0800

/** Writes an archive whose files are stored as they are: they are small, and every unpacker reads it. */
function zipOf(files: readonly [path: string, content: string][]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, content] of files) {
    const [name, data] = [Buffer.from(path), Buffer.from(content)]
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(UTF8_NAMES, 2)
    facts.writeUInt16LE(FIRST_DAY, 8)
    facts.writeUInt32LE(crc32(data), 10)
    facts.writeUInt32LE(data.length, 14)
    facts.writeUInt32LE(data.length, 18)
    facts.writeUInt16LE(name.length, 22)
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), facts, name, data)
    const place = Buffer.alloc(14)
    // Rights of a file that all may read.
    place.writeUInt32LE((0o100644 << 16) >>> 0, 6)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), facts, place, name)
    offset += 30 + name.length + data.length
  }
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(Buffer.concat(directory).length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06', 'latin1'), end])
}
