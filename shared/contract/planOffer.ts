/** Ends the message of a service that refused something with the address at which it offers plans that have it. */
export const withPlanOffer = (message: string, address: string): string => `${message} Plans: ${address}`.trim()

/** Splits a text at the first such address; null if it has none. */
export function splitAtOffer(text: string): { before: string; address: string; after: string } | null {
  const [found, mark, address] = /(Plans: )(https?:\/\/[^\s”"<>]+)/.exec(text) ?? []
  if (!found) return null
  const start = text.indexOf(found) + mark.length
  return { before: text.slice(0, start), address, after: text.slice(start + address.length) }
}
