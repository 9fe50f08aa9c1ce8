/** Properties of a drop-down list. */
export interface SelectProps<Value extends string> {
  /** Accessible name. */
  label: string
  options: readonly { value: Value; title: string }[]
  id?: string
  describedBy?: string
  isInvalid?: boolean
  isDisabled?: boolean
}
