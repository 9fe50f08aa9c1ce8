import * as z from '../../schemas/lazySchemas.ts'
import {
  MOST_OWN_CHARACTERS,
  MOST_OWN_FUNCTIONS,
  MOST_OWN_PARAMETERS,
  ownNamePattern,
} from '../../formula/ownFunctionShape.ts'
import { timestampSources } from '../../catalog/intervals.ts'
import { settingSchemas } from '../settingFields.ts'
import { call } from '../spec.ts'
import { formulaColumn } from './watch.ts'

const ownName = z.string().regex(ownNamePattern, 'must be a name of lower-case letters, digits and _')

/** A custom formula function saved by the user. */
const ownFunction = z.strictObject({
  name: ownName,
  parameters: z.array(ownName).min(1).max(MOST_OWN_PARAMETERS),
  formula: z.string().min(1).max(MOST_OWN_CHARACTERS),
})

/** Getting-started steps in their order. */
export const firstSteps = ['coverage', 'download', 'portfolio', 'connect'] as const
export type FirstStep = (typeof firstSteps)[number]

/** Every setting: those of the Settings screen, and those that are changed where they are used. */
export const settingsShape = z.strictObject({
  ...settingSchemas,
  /** Zoom of the user interface; 1 is 100 %. */
  zoom: z.number().min(0.5, 'must be from 0.5 to 2').max(2, 'must be from 0.5 to 2'),
  offline: z.boolean(),
  /** True if other programs on this machine may request data while the app runs. */
  localDoor: z.boolean(),
  /**
   * Tells whether the sample data offered at the first start was never requested, was requested (it is cached once its
   * downloads are done), or was removed.
   */
  sampleData: z.enum(['never', 'here', 'removed']),
  stepsDone: z.array(z.enum(firstSteps)).max(firstSteps.length),
  /** True if the getting-started checklist is hidden. */
  stepsHidden: z.boolean(),
  /** Custom functions, which are expanded before a formula is stored. */
  formulaFunctions: z.array(ownFunction).max(MOST_OWN_FUNCTIONS),
  /** Formula columns of the watch page. */
  watchColumns: z.array(formulaColumn).max(20),
  /** Portfolios to list first. */
  favouritePortfolios: z.array(z.string().min(1).max(300)).max(1000),
  /** Values of --exchange and --timestamp that commands use where these are left out, by the id of a connection. */
  commandDefaults: z.record(
    z.string().max(100),
    z.strictObject({ exchange: z.string().min(1).max(100).optional(), timestamp: z.enum(timestampSources).optional() }),
  ),
})
export type Settings = z.infer<typeof settingsShape>
export type CommandDefaults = Settings['commandDefaults'][string]

export const settingsCalls = {
  'settings.read': call(z.strictObject({}))<Settings>(),
  'settings.change': call(settingsShape.partial())<Settings>(),
}
