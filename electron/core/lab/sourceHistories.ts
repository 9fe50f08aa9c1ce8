import type { HistoryRequest } from '#shared/catalog/portfolioRequest.ts'
import type { PortfolioSource } from '#shared/lab/kinds/portfolio/fields.ts'
import type { StudySource } from '#shared/lab/kinds/sourceFields.ts'

/** Histories of the portfolio service that studies read beside their rows. */
type Histories = Partial<Pick<StudySource, 'universe' | 'by'> & Pick<PortfolioSource, 'exposureBy'>>

export const universeRequest = ({ size, exchange }: NonNullable<StudySource['universe']>) =>
  ({ endpoint: 'universe', size: String(size) as '20' | '30' | '40', exchange }) as const

export const exposureRequest = ({ portfolio, overlay }: NonNullable<PortfolioSource['exposureBy']>) =>
  portfolio === null
    ? ({ endpoint: 'regime', overlay } as const)
    : ({ endpoint: 'overlay', portfolio, overlay } as const)

export const regimeRequest = (overlay: string) => ({ endpoint: 'regime', overlay }) as const

/** Lists the histories that a source names. */
export const sourceHistories = ({ universe, exposureBy, by }: Histories): HistoryRequest[] => [
  ...(universe ? [universeRequest(universe)] : []),
  ...(exposureBy ? [exposureRequest(exposureBy)] : []),
  ...(by?.regime ? [regimeRequest(by.regime.overlay)] : []),
]
