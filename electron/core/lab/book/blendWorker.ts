import { answerWork } from '#core/guard/answerWork.ts'
import { answerOrRefusal, type StudyRefusal } from '#shared/contract/studyRefusal.ts'
import type { BlendData } from '#shared/lab/kinds/blend/blendWeights.ts'
import type { BlendStudy } from '#shared/lab/kinds/blend/fields.ts'
import { type BlendOutcome, runBlend } from '#shared/lab/kinds/blend/run.ts'

/** Entry of the thread or process that computes blends; it is ended if a blend is cancelled. */

answerWork<BlendTask, BlendReply>(({ study, data }, onProgress) =>
  answerOrRefusal(() => ({ outcome: runBlend(study, data, (share) => onProgress(share, 1)) })),
)

export interface BlendTask {
  study: BlendStudy
  data: BlendData
}

export type BlendReply = { outcome: BlendOutcome } | StudyRefusal
