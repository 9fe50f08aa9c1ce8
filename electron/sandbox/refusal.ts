/** Address of a page about plans; nobody is there. */
export const PLANS_PAGE = 'https://plans.example/raw-events'

/** Thrown to refuse a request; the router turns it into a reply in the current format of error bodies. */
export class ApiRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, unknown>
  /** Page on which the key's plan can be changed; absent where no plan would help. */
  readonly upgradeUrl?: string

  constructor(
    status: number,
    code: string,
    message: string,
    details: Record<string, unknown> = {},
    upgradeUrl?: string,
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.upgradeUrl = upgradeUrl
  }
}
