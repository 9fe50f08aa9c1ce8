import { customProperties, tokens, type ThemeName } from './tokens.ts'

const KEPT_AS = 'perpscope.theme'

/** The theme to paint with before the settings are here: the one last used on this machine, else the system's. */
export function firstTheme(): ThemeName {
  const kept = localStorage.getItem(KEPT_AS)
  if (kept === 'dark' || kept === 'light') return kept
  return systemTheme().matches ? 'dark' : 'light'
}

export const systemTheme = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)')

export function applyTheme(name: ThemeName): void {
  const root = document.documentElement
  for (const [property, value] of customProperties(tokens[name])) root.style.setProperty(property, value)
  root.style.colorScheme = name
  root.dataset.theme = name
  localStorage.setItem(KEPT_AS, name)
}
