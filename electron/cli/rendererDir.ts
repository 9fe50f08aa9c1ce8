import { fileURLToPath } from 'node:url'

const runsFromSources = import.meta.url.endsWith('.ts')

/** Path of the folder with the built window, which the sources and the built program find in different places. */
export const rendererDir = fileURLToPath(
  new URL(runsFromSources ? '../../out/renderer' : '../renderer', import.meta.url),
)
