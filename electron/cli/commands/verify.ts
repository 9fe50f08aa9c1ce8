import { resultText } from '../text/messages.ts'
import { verifyText as text } from '../text/commands.ts'
import type { CacheReport } from '#shared/contract/areas/cache.ts'
import { soleAction, exit, type CliCommand } from '../command.ts'
import { findConnection } from '../connections.ts'
import { plainPlural } from '#shared/units/plurals.ts'
import { formatBytes } from '../sizes.ts'

export const command: CliCommand = {
  verb: 'verify',
  summary: text.summary,
  description: text.description,
  examples: ['perpscope verify', 'perpscope verify --repair --json', 'perpscope verify --deep --repair'],
  actions: [
    soleAction({
      summary: text.run.summary,
      readsOnly: ({ repair }) => !repair,
      interrupted: text.run.interrupted,
      options: {
        repair: { type: 'flag', description: text.run.options.repair },
        deep: {
          type: 'flag',
          description: text.run.options.deep,
        },
      },
      async run({ client, connection, options, out, signal }) {
        const core = await client()
        const connectionId = connection === undefined ? '' : (await findConnection(core, connection)).id
        const name = options.repair ? 'cache.repair' : 'cache.verify'
        const report = await core.call(name, { connectionId, deep: options.deep }, { signal, onProgress: out.progress })
        const problems = report.problems.map(({ message, ...problem }) => ({ ...problem, words: message }))
        out.result({ ...report, problems }, () => linesOf(report, options.repair))
        return report.broken > report.repaired ? exit.partial : exit.done
      },
    }),
  ],
}

function linesOf(
  { files, sizeBytes, broken, repaired, takenIn, harmless, problems, more }: CacheReport,
  isRepair: boolean,
) {
  const lines = problems.map(({ kind, path, message, remedy }) => {
    const repairText =
      isRepair || kind === 'unlisted' ? resultText.repairDone[kind] : resultText.repairWould(remedy ?? '')
    return `${kind}: ${path}: ${message} ${remedy === null ? resultText.repairLeft : repairText}`
  })
  if (more > 0) lines.push(resultText.more(more))
  const takenInText = takenIn > 0 ? resultText.takenIn(takenIn) : ''
  const harmlessText = harmless > 0 ? resultText.harmless(harmless) : ''
  const brokenText = broken === 0 ? resultText.noProblems : resultText.broken(broken, isRepair ? repaired : null)
  return [
    ...lines,
    `${plainPlural(files, 'file')}, ${formatBytes(sizeBytes)}. ${brokenText}${takenInText}${harmlessText}`,
  ]
}
