export { purgeSetupLinks, setupRows } from './links'
export { findTesterLink, openSetup, showSetup, submitSetup } from './setup-form'
