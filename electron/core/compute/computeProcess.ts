/** This file is the entry of the guarded process that computes metrics from unvalidated files. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import { type ComputeAnswer, type ComputeWork, runComputeWork } from './computeTask.ts'

answerGuarded<ComputeWork, ComputeAnswer>(runComputeWork)
