export { answerScim } from './answer-scim'
export { directoryRows } from './directory'
