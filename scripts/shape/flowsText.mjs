/** Writes the text of docs/FLOWS.md. */
import { filesOfFlow, flows } from './flows.mjs'

const head = `# Three flows, file by file

Made by \`npm run flows\` from the code; a test derives it again and compares.

A file belongs to a flow when its code runs on that path and carries its logic. A walk follows calls and imports from the function
that a person triggers, through calls of the contract to their handlers and into worker threads; what is injected is a start of its
own, named in \`scripts/shape/flows.mjs\`. Types are not followed. Generic plumbing does not count: time, units, errors, schemas, the
catalog, threads, transport between window and core, controls around a page.
`

const section = ({ title, target, files }) =>
  [
    `## ${title}`,
    '',
    `${files.length} files (goal: at most ${target}).`,
    '',
    ...files.map(({ path, line }, index) => `${index + 1}. \`${path}\`: ${line}`),
    '',
  ].join('\n')

/** Computes the files of each flow. */
export const derivedFlows = () => flows.map((flow) => ({ ...flow, files: filesOfFlow(flow) }))

export const flowsText = (derived = derivedFlows()) => [head, ...derived.map(section)].join('\n')
