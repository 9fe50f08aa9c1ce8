import { createNumberPacker, withLists } from '#core/clients/numberPacker.ts'
import { readJson } from '#core/clients/parseResponse.ts'

/** Reads JSON as the client does whose caller wants lists of numbers packed, from chunks of some size. */
export function packedJson(bytes: Uint8Array, address: string, chunkBytes = bytes.length): unknown {
  const packer = createNumberPacker(address)
  for (let at = 0; at < bytes.length; at += chunkBytes) packer.add(bytes.subarray(at, at + chunkBytes))
  const { skeleton, lists } = packer.end()
  return withLists(readJson(skeleton, address), lists)
}
