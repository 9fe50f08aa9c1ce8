import type { GuideSection } from './guideSection.ts'
import { bookSection } from './sections/book.ts'
import { commandLine } from './sections/commandLine.ts'
import { dataSections } from './sections/data.ts'
import { firstStepsSection } from './sections/firstSteps.ts'
import { formulas } from './sections/formulas.ts'
import { jobSections } from './sections/jobs.ts'
import { labSections } from './sections/lab.ts'
import { boardsSection, recordSection } from './sections/record.ts'
import { resampling } from './sections/resampling.ts'
import { ownThings } from './sections/ownThings.ts'
import { outgrowing } from './sections/outgrowing.ts'
import { portfolioTests } from './sections/portfolioTests.ts'
import { sqlSection } from './sections/sql.ts'
import { screenSections } from './sections/screens.ts'

/** The whole guide, in the order it is read. */
export const guide: readonly GuideSection[] = [
  ...firstStepsSection,
  ...jobSections,
  ...screenSections,
  ...labSections,
  formulas,
  resampling,
  portfolioTests,
  bookSection,
  sqlSection,
  boardsSection,
  recordSection,
  ...ownThings,
  ...dataSections,
  commandLine,
  outgrowing,
]
