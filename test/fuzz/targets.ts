import { parquetTarget } from './parquetTarget.ts'
import type { FuzzTarget } from './target.ts'

/** Every target of `npm run fuzz`, by its name. */
export const fuzzTargets: Record<string, () => FuzzTarget> = {
  parquet: () => parquetTarget({ withLarge: true }),
}
