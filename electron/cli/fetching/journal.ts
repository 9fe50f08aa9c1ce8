import type { ExitStatus } from '../command.ts'
import type { Output } from '../print.ts'
import { quietText as text } from '../text/terminalTexts.ts'

/** Number of sets that a run names, and of problems of one set; a journal of every hour is read when something is wrong. */
const MOST_SET_LINES = 5
const MOST_PROBLEMS = 1

/** Prints what a scheduled run did in a few lines: a line for each set with something new, and one for all others. */
interface Journal {
  /** Runs the fetch of a set with an output that keeps only its summary and its first problem. */
  ofSet(name: string, work: (out: Output) => Promise<ExitStatus>): Promise<ExitStatus>
  /** Prints why the fetch of a set failed. */
  failed(name: string, why: string): void
  /** Prints how many sets had nothing new. */
  end(): void
}

interface Summary {
  files: number
  cached: number
}

const isNew = ({ files, cached }: Summary): boolean => files !== cached

export function createJournal(out: Output, isVerbose: boolean): Journal {
  let [unchanged, named, more] = [0, 0, 0]
  const print = (lines: () => void) => {
    if (named >= MOST_SET_LINES) more++
    else {
      named++
      lines()
    }
  }
  const failed: Journal['failed'] = (name, why) => print(() => out.problem(text.ofSet(name, why)))
  if (isVerbose || out.json)
    return {
      ofSet: (_name, work) => work(out),
      failed: (name, why) => out.problem(text.ofSet(name, why)),
      end: () => {},
    }
  return {
    async ofSet(name, work) {
      let summary: { line: string; isNew: boolean } | null = null
      const problems: string[] = []
      const status = await work({
        ...out,
        note: () => {},
        progress: () => {},
        problem: (problem) => void problems.push(problem),
        record: (document, line) => {
          const counts = (document as { summary?: Summary }).summary
          if (counts) summary = { line: line(), isNew: isNew(counts) }
        },
      })
      const { line, isNew: hasNews } = (summary ?? { line: '', isNew: false }) as { line: string; isNew: boolean }
      if (!hasNews && problems.length === 0) unchanged++
      else
        print(() => {
          if (line !== '') out.line(text.ofSet(name, line))
          for (const problem of problems.slice(0, MOST_PROBLEMS)) out.problem(text.ofSet(name, problem))
        })
      return status
    },
    failed,
    end() {
      if (more > 0) out.line(text.moreSets(more))
      if (unchanged > 0) out.line(text.unchangedSets(unchanged))
    },
  }
}
