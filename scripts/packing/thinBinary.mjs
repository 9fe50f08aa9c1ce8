/** Extracts one architecture from the universal libraries of macOS, because each installer is for one processor. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Magic number of a universal binary. */
const UNIVERSAL_MAGIC = 0xcafebabe
/** Size of the header: the magic number and the number of entries in the table after it. */
const HEADER_BYTES = 8
/** Size of a table entry, which describes the part for one processor. */
const ENTRY_BYTES = 20
/** Mach-O numbers of the processor types, by Node's names for them. */
const processors = { x64: 0x01000007, arm64: 0x0100000c }

/** Returns the part of a universal binary for one processor, with its signature, and any other binary unchanged. */
export function thinBinary(bytes, arch) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.byteLength < HEADER_BYTES || view.getUint32(0) !== UNIVERSAL_MAGIC) return bytes
  for (let entry = 0; entry < view.getUint32(4); entry++) {
    const entryOffset = HEADER_BYTES + entry * ENTRY_BYTES
    if (view.getUint32(entryOffset) !== processors[arch]) continue
    const start = view.getUint32(entryOffset + 8)
    return bytes.subarray(start, start + view.getUint32(entryOffset + 12))
  }
  throw new Error(`A universal library has no part for ${arch}.`)
}

/** Thins every library below a folder. */
export function thinLibraries(folder, arch) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(?:dylib|node)$/.test(name)) continue
    const path = join(folder, name)
    const bytes = readFileSync(path)
    const part = thinBinary(bytes, arch)
    if (part !== bytes) writeFileSync(path, part)
  }
}
