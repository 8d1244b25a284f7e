export { afterSignIn } from './after-sign-in'
export { deviceInWords, readDevice } from './read-device'
