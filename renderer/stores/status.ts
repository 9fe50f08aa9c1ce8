import { defineStore } from 'pinia'
import { ref } from 'vue'

/** Values that screens show in the status line; a null value is not shown. */
export const useStatus = defineStore('status', () => ({
  cacheBytes: ref<number | null>(null),
  rowsInView: ref<number | null>(null),
  /** Time under the cursor in ms since the epoch. */
  timeUnderCursor: ref<number | null>(null),
}))
