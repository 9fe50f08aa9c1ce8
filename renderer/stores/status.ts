import { defineStore } from 'pinia'
import { ref } from 'vue'

/** State of the screens for the status line; a null value leaves its place empty. */
export const useStatus = defineStore('status', () => ({
  cacheBytes: ref<number | null>(null),
  rowsInView: ref<number | null>(null),
  /** Time under the cursor in ms since the epoch. */
  timeUnderCursor: ref<number | null>(null),
}))
