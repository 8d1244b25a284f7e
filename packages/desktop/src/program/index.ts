/** The desktop program, which shows the applications of a workspace in windows of an installed browser. */
export { openWorkspace, type OpenInput } from './open-workspace'
export { ProgramFault } from './workspace-config'
