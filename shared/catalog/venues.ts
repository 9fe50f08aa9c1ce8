export const venues = ['venuea-futures', 'venueb-perps', 'venuec-perps'] as const

export type Venue = (typeof venues)[number]

export const isVenue = (text: string): text is Venue => (venues as readonly string[]).includes(text)

/** Unit of amounts and of open interest on each venue. */
export const amountUnits: Record<Venue, 'base asset' | 'contracts'> = {
  'venuea-futures': 'base asset',
  'venueb-perps': 'contracts',
  'venuec-perps': 'base asset',
}
