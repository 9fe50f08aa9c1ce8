import type { BlendResult } from './kinds/blend/run.ts'
import type { PortfolioResult } from './portfolio/testResult.ts'
import type { StudyResult } from './runStudy.ts'

/** Result of a document of the Lab: a study, a tested portfolio or a blend. */
export type LabResult = StudyResult | PortfolioResult | BlendResult
