import { customProperties, type ThemeName, tokens } from './tokens.ts'

const STORAGE_KEY = 'perpscope.theme'

/** Returns the theme to use until the settings are loaded: the one used last in this browser, or else the system's. */
export function firstTheme(): ThemeName {
  const stored = localStorage.getItem(STORAGE_KEY)
  if (stored === 'dark' || stored === 'light') return stored
  return systemTheme().matches ? 'dark' : 'light'
}

export const systemTheme = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)')

export function applyTheme(name: ThemeName): void {
  const root = document.documentElement
  for (const [property, value] of customProperties(tokens[name])) root.style.setProperty(property, value)
  root.style.colorScheme = name
  root.dataset.theme = name
  localStorage.setItem(STORAGE_KEY, name)
}

export type Density = 'compact' | 'comfortable'

/** Pixel sizes by density; CSS reads them as `--font-size`, `--control`, `--row`, `--gap`. */
export const sizes: Record<Density, { fontPx: number; controlPx: number; rowPx: number; gapPx: number }> = {
  compact: { fontPx: 12.5, controlPx: 26, rowPx: 24, gapPx: 10 },
  comfortable: { fontPx: 13.5, controlPx: 32, rowPx: 30, gapPx: 14 },
}

export function applyDensity(density: Density): void {
  const { style } = document.documentElement
  const { fontPx, controlPx, rowPx, gapPx } = sizes[density]
  style.setProperty('--font-size', `${fontPx}px`)
  style.setProperty('--control', `${controlPx}px`)
  style.setProperty('--row', `${rowPx}px`)
  style.setProperty('--gap', `${gapPx}px`)
}

/** Sets the zoom for a host that does not zoom natively; base.css explains how popups are zoomed. */
export function applyZoom(zoom: number): void {
  document.documentElement.style.setProperty('--zoom', String(zoom))
}
