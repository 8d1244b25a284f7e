import { catalog } from '#fw/actions'
import { operations } from '#fw/operations'

/** The names of actions and operations that audit rows and webhook events may have. */
export const auditedNames: readonly string[] = [...catalog, ...operations.filter(({ isAudited }) => isAudited)].map(
  ({ name }) => name,
)
