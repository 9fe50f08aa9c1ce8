/** Shades the charts of a portfolio page by the regime that the user chose. */
import { type ComputedRef, computed, inject, type InjectionKey, provide, type Ref } from 'vue'
import type { AppError } from '#shared/contract/errors.ts'
import type { Band } from '../charts/model.ts'
import { persistedRef } from '../stores/persistedRef.ts'
import { useShading } from '../widgets/useShading.ts'

/** Regime shading of all portfolio pages; the choice is stored even while the shading is switched off. */
interface RegimeChoice {
  overlay: string
  isOn: boolean
}

const isChoice = (stored: unknown): stored is RegimeChoice =>
  typeof stored === 'object' &&
  stored !== null &&
  'overlay' in stored &&
  typeof stored.overlay === 'string' &&
  'isOn' in stored &&
  typeof stored.isOn === 'boolean'

export const useRegimeChoice = (): Ref<RegimeChoice> =>
  persistedRef<RegimeChoice>('portfolios.regime', { overlay: '', isOn: false }, isChoice)

const bandsKey: InjectionKey<ComputedRef<readonly Band[]>> = Symbol('regime behind the charts of a page')

/** Loads the chosen regime once for a page and provides its bands to the charts. */
export function provideRegimeBands(choice: Ref<RegimeChoice>): { error: Ref<AppError | null> } {
  const shading = useShading(() => {
    const { overlay, isOn } = choice.value
    return isOn && overlay !== '' ? { kind: 'regime', overlay } : null
  })
  provide(
    bandsKey,
    computed(() => shading.bands.value),
  )
  return { error: shading.error }
}

const noBands = computed((): readonly Band[] => [])

export const useRegimeBands = (): ComputedRef<readonly Band[]> => inject(bandsKey, noBands)
