/** A way to start something. */
export interface Starter {
  id: string
  name: string
  /** The question that it answers, in one sentence. */
  description: string
  /** What it reads. */
  needs?: string
  /** Whether what it reads is there. */
  state?: { text: string; isReady: boolean } | null
  /** True for a ready-made one, which stands below the kind of which it is. */
  isPart?: boolean
}
