import { commitPart, syncPart, writePart } from '#core/store/fileWriter.ts'
import { PART } from '#core/store/cacheFolder.ts'
import { proveFile, type Proof } from './proof.ts'

/** A fetched file to be proven and put in its place. */
export interface TakeInTask {
  /** Where it belongs. */
  path: string
  /** The folder of all files; never made anew here. */
  root: string
  /** Its content; null where it stands in the part already. */
  bytes: Uint8Array | null
}

export type TakeInStep = 'written' | 'proven' | 'in place'

/** Bytes → part → disk → proof → place, in this order. */
export function takeIn({ path, root, bytes }: TakeInTask, onStep: (step: TakeInStep) => void = () => {}): Proof {
  if (bytes) writePart(path, root, bytes)
  else syncPart(path, root)
  onStep('written')
  const proof = proveFile(path + PART)
  onStep('proven')
  commitPart(path, root)
  onStep('in place')
  return proof
}
