const tiers = [0, 1, 2, 3] as const

export type Tier = (typeof tiers)[number]
