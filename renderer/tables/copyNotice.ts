import type { InjectionKey } from 'vue'

export interface CopyResult {
  /** Number of copied rows; null for a single cell. */
  rows: number | null
  /** Number of selected rows; larger than `rows` if a filter hides some or there were too many to copy. */
  selected: number
}

/**
 * Key of the function that reports what was copied, or with null that the clipboard refused; the window provides it.
 */
export const copyNotice: InjectionKey<(copied: CopyResult | null) => void> = Symbol('copyNotice')
