import { computed, type ComputedRef, type WritableComputedRef } from 'vue'

/** Binds one field of the address for `v-model`. */
export const field = <Name extends string>(
  address: ComputedRef<Record<Name, string>>,
  change: (patch: Partial<Record<Name, string>>) => void,
  name: Name,
): WritableComputedRef<string> =>
  computed({
    get: () => address.value[name],
    set: (value) => change({ [name]: value } as Partial<Record<Name, string>>),
  })
