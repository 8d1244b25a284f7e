export { answerChangesRequest } from './answer-changes'
export { endChangeStreams } from './change-feed'
