import { randomUUID } from 'node:crypto'
import type { FoundFile } from './foundFiles.ts'
import type { Inspection } from './inspectFile.ts'

/** A file that was looked at: what it holds, and where it is. */
export interface Candidate extends Inspection {
  id: string
  found: FoundFile
  /** What was handed over and holds it. */
  receivedId: string
}

/** Files that were looked at and are not taken in yet. One that is looked at again keeps its id. */
export class Candidates {
  private readonly byId = new Map<string, Candidate>()
  private readonly ids = new Map<string, string>()

  add(candidate: Omit<Candidate, 'id'>): Candidate {
    const { path } = candidate.found
    const id = this.ids.get(path) ?? randomUUID()
    this.ids.set(path, id)
    const known = { ...candidate, id }
    this.byId.set(id, known)
    return known
  }

  find(id: string): Candidate | undefined {
    return this.byId.get(id)
  }

  remove(id: string): void {
    const candidate = this.byId.get(id)
    if (!candidate) return
    this.byId.delete(id)
    this.ids.delete(candidate.found.path)
  }

  all(): Candidate[] {
    return [...this.byId.values()]
  }
}
