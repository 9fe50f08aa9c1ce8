import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { tourText } from '../text/tour.ts'

/** Guided tour: the current step, or none. */
export const useTour = defineStore('tour', () => {
  const stepIndex = ref<number | null>(null)
  const { steps } = tourText
  const step = computed(() => (stepIndex.value === null ? null : steps[stepIndex.value]))
  /** Goes to a step; after the last step the tour ends, and before the first it stays at the first. */
  function goTo(next: number): void {
    stepIndex.value = next >= steps.length ? null : Math.max(0, next)
  }
  return {
    stepIndex,
    step,
    goTo,
    end: () => (stepIndex.value = null),
  }
})
