/** Id of the page of the guide on the job of a playbook. */
export const jobPageOf = (playbookId: string) => `job-${playbookId}`

export const jobPageAddress = (playbookId: string) => `/guide/${jobPageOf(playbookId)}`
