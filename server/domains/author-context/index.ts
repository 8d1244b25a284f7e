export { type AuthorCall, type AuthorContext, authorContext } from './author-context'
export { useFairway } from './use-fairway'
