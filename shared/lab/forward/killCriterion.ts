/** The condition under which a hypothesis counts as refuted, as a person writes it: `sharpe < 0 after 60d`. */
import { StudyError } from '../studyError.ts'

export const killFigures = ['sharpe', 'totalReturn', 'maxDrawdown', 'ic'] as const
type KillFigure = (typeof killFigures)[number]

export interface KillCriterion {
  figure: KillFigure
  /** The hypothesis is killed when the figure is below this. */
  below: number
  /** Number of forward days from which on the figure is looked at. */
  afterDays: number
}

const MOST_DAYS = 36_500
const FORM = 'FIGURE < NUMBER after Nd, such as sharpe < 0 after 60d'
const pattern = /^([A-Za-z]+)\s*<\s*(\S+)\s+after\s+(\S+)$/
const numberPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i

const refuse = (message: string): never => {
  throw new StudyError('kill', message)
}

/** Parses a kill criterion; throws a `StudyError` that says what cannot be read. */
export function parseKill(text: string): KillCriterion {
  const [, figure, below, days] = pattern.exec(text.trim()) ?? refuse(`"${text}" cannot be read. Write ${FORM}.`)
  const known =
    killFigures.find((one) => one === figure) ??
    refuse(`${figure} is no figure that can kill. Use one of ${killFigures.join(', ')}.`)
  if (!numberPattern.test(below) || !Number.isFinite(Number(below))) refuse(`${below} is not a number. Write ${FORM}.`)
  const afterDays = Number(/^(\d{1,9})d$/.exec(days)?.[1] ?? refuse(`${days} is no number of days. Write ${FORM}.`))
  if (afterDays < 1 || afterDays > MOST_DAYS) refuse(`the number of days is 1 to ${MOST_DAYS}, not ${afterDays}.`)
  return { figure: known, below: Number(below), afterDays }
}

/** Refuses a figure that the kind of a study does not have. */
export function checkKill({ figure }: KillCriterion, kind: string): void {
  if (kind !== 'signal' && kind !== 'portfolio') refuse(`a study of kind ${kind} has no forward figures to kill it by.`)
  if (kind === 'signal' && figure !== 'ic') refuse(`a signal study has no ${figure}; its figure is ic.`)
  if (kind === 'portfolio' && figure === 'ic')
    refuse('only a signal study has an ic. Use sharpe, totalReturn or maxDrawdown.')
}

export const killText = ({ figure, below, afterDays }: KillCriterion): string =>
  `${figure} < ${below} after ${afterDays}d`
