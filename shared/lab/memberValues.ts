import type { StudyMatrix, StudyPanel } from './studyPanel.ts'

/** Values of one symbol along time, NaN where it is no member, with the number of its cells by their reason. */
export function memberValues({ member }: Pick<StudyPanel, 'member'>, matrix: StudyMatrix, symbol: number) {
  const values = matrix.symbol(symbol)
  const members = member?.symbol(symbol)
  const attrition = { cells: values.length, notMember: 0, noValue: 0, used: 0 }
  for (let time = 0; time < values.length; time++) {
    if (members && !members[time]) {
      values[time] = NaN
      attrition.notMember++
    } else if (Number.isNaN(values[time])) attrition.noValue++
    else attrition.used++
  }
  return { values, attrition }
}
