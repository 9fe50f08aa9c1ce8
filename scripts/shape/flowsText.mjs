/** Builds the text of docs/FLOWS.md. */
import { filesOfFlow, flows } from './flows.mjs'

const head = `# Three flows, file by file

\`npm run flows\` derives this file from the code; a test checks that it is up to date.

A file belongs to a flow if its code runs on that path and carries its logic. A walk follows calls and imports from the function
that a user triggers, through calls of the contract to their handlers and into worker threads. It cannot follow injected functions,
so \`scripts/shape/flows.mjs\` names them as further starts. Types are not followed. Generic plumbing does not count: time, units,
errors, schemas, the catalog, threads, transport between window and core, controls around a page.
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
