export { type AuthorCall, type AuthorContext, authorContext } from './author-context'
export { definePublicRoute } from './define-public-route'
export { useFairway } from './use-fairway'
