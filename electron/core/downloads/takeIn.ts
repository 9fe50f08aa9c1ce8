import { memorySource } from '#core/readers/byteSource.ts'
import { commitPart, openPartToSync, writePart, type SyncFolder } from '#core/store/fileWriter.ts'
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

/**
 * Bytes → part → proof → disk → place, in this order. Waits for the disk only: several at a time share what it does at
 * once, and the next ones are proven meanwhile.
 */
export async function takeIn(
  { path, root, bytes }: TakeInTask,
  syncFolder: SyncFolder,
  onStep: (step: TakeInStep) => void = () => {},
): Promise<Proof> {
  const part = bytes ? writePart(path, root, bytes) : openPartToSync(path, root)
  let proof: Proof
  try {
    onStep('written')
    proof = proveFile(path + PART, bytes ? memorySource(bytes) : undefined)
    onStep('proven')
    await part.sync()
  } finally {
    part.close()
  }
  onStep('on disk')
  commitPart(path, root)
  onStep('in place')
  await syncFolder(path)
  return proof
}
