/** Why a request is not answered; becomes the service's error body. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly details: Record<string, unknown>

  constructor(status: number, code: string, message: string, details: Record<string, unknown> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
  }
}

export interface ErrorBody {
  error: string
  code: string
  details: Record<string, unknown>
}

export const bodyOf = ({ message, code, details }: Refusal): ErrorBody => ({ error: message, code, details })
