export { answerScim } from './answer-scim'
export { directoryRows } from './directory'
export { findDirectoryUser } from './known-person'
