import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { Reply } from './reply.ts'

const SMALLEST_BYTES = 1400
const gzipAsync = promisify(gzip)

/** Compressed bodies for clients that accept gzip, by the original body, whose object repeated responses share. */
const compressedBodies = new WeakMap<Uint8Array, Promise<Uint8Array>>()

export async function compressReply(reply: Reply, acceptEncoding: string | string[] | undefined): Promise<Reply> {
  const { body } = reply
  const isWanted = /\bgzip\b/.test(String(acceptEncoding ?? ''))
  if (!isWanted || !(body instanceof Uint8Array) || body.length < SMALLEST_BYTES) return reply
  const compressing = compressedBodies.get(body) ?? gzipAsync(body, { level: constants.Z_BEST_SPEED })
  compressedBodies.set(body, compressing)
  return { ...reply, headers: { ...reply.headers, 'content-encoding': 'gzip' }, body: await compressing }
}
