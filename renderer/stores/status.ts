import { defineStore } from 'pinia'
import { ref } from 'vue'

/** What the bars show of the screens' doing. Null where there is nothing to tell: the place then stays empty. */
export const useStatus = defineStore('status', () => ({
  cacheBytes: ref<number | null>(null),
  rowsInView: ref<number | null>(null),
  /** Milliseconds since the epoch. */
  timeUnderCursor: ref<number | null>(null),
}))
