import type { InjectionKey, Ref } from 'vue'

/** Element of the shell beside the tabs of a screen, which takes what a screen is about, so that both stand in one row. */
export const contextPlace: InjectionKey<Readonly<Ref<HTMLElement | null>>> = Symbol('contextPlace')
