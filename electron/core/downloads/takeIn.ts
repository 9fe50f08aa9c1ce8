import { memorySource } from '#core/readers/byteSource.ts'
import { commitPart, syncPart, writePart } from '#core/store/fileWriter.ts'
import { PART } from '#core/store/cacheFolder.ts'
import { proveFile, type Proof } from './proof.ts'

/** A fetched file to be proven and put in its place. */
export interface TakeInTask {
  /** Where it belongs. */
  path: string
  /** The folder of all files; never made anew here. */
  root: string
  /** Its content, in the pieces it came in; null where it stands in the part already. */
  bytes: readonly Uint8Array[] | null
}

export type TakeInStep = 'written' | 'proven' | 'on disk' | 'in place'

/** Bytes → part → proof → disk → place, in this order. */
export function takeIn({ path, root, bytes }: TakeInTask, onStep: (step: TakeInStep) => void = () => {}): Proof {
  if (bytes) writePart(path, root, bytes)
  onStep('written')
  const proof = proveFile(path + PART, bytes ? memorySource(bytes) : undefined)
  onStep('proven')
  syncPart(path, root)
  onStep('on disk')
  commitPart(path, root)
  onStep('in place')
  return proof
}
