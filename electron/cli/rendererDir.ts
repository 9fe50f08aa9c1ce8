import { fileURLToPath } from 'node:url'

const runsFromSources = import.meta.url.endsWith('.ts')

/** Folder of the built window, relative to the sources or to the built program. */
export const rendererDir = fileURLToPath(
  new URL(runsFromSources ? '../../out/renderer' : '../renderer', import.meta.url),
)
