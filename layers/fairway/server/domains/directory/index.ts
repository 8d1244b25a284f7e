export { answerScim } from './answer-scim'
export { connectDirectory, directoryRows, findDirectory } from './directory'
