import { fileURLToPath } from 'node:url'

const fromSources = import.meta.url.endsWith('.ts')

/** The built window, as seen from the sources and from the built program. */
export const rendererDir = fileURLToPath(new URL(fromSources ? '../../out/renderer' : '../renderer', import.meta.url))
