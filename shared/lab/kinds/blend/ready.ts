import type { ReadyStudy } from '../readyGround.ts'

/** Which factors and portfolios there are, only the service knows, so no blend is ready-made. */
export const ready = (): ReadyStudy[] => []
