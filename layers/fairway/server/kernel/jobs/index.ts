export { declaredJobs, declareJobs, enqueue, findJob, jobNames, queueJob } from './enqueue'
export { cancelJob, runsJobs, startJobs, wakeSoon } from './engine'
export {
  type ActingPerson,
  defineJob,
  definePlatformJob,
  type JobContext,
  type JobEntry,
  PLATFORM_JOB,
  setJobSurroundings,
} from './job'
export {
  countJobs,
  countOpen,
  findJobNamed,
  findJobOf,
  type NamedJob,
  followJob,
  jobMetrics,
  listJobs,
} from './list-jobs'
export { purgeJobs, retryFailed, retryJob } from './queue'
export { type RanJob, runDueJobs } from './attempt'
export { refreshTimeZones } from './time-zones'
export { JOB_STATES } from '#fairway/shared/schemas/job-states'
