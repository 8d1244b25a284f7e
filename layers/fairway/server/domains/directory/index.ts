export { answerScim } from './answer-scim'
export { connectDirectory, directoryRows, findDirectory } from './directory'
export { findDirectoryUser } from './directory-people'
