import type { InjectionKey } from 'vue'

export interface CopyResult {
  /** Number of copied rows; null for a single cell. */
  rows: number | null
  /** Number of selected rows; larger than `rows` if a filter hides some or there were too many to copy. */
  selected: number
}

/** Tells what was copied, or by null that the clipboard refused; the window provides it for all tables. */
export const copyNotice: InjectionKey<(copied: CopyResult | null) => void> = Symbol('copyNotice')
