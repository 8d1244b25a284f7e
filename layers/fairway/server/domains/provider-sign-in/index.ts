export { endProviderSignIn } from './end-sign-in'
export { startProviderSignIn } from './start-sign-in'
