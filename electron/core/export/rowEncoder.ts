import type { Frame } from '#shared/contract/frame.ts'

/** Turns rows into the bytes of a file. */
export interface RowEncoder {
  head(): Uint8Array
  /** In pieces of a few megabytes. */
  rows(frame: Frame): Uint8Array[] | Promise<Uint8Array[]>
  end(provenance: string): Uint8Array | Promise<Uint8Array>
}
