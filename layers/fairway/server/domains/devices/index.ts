export { afterSignIn } from './after-sign-in'
export { tellOwner } from './tell-owner'
export { deviceInWords, readDevice } from './read-device'
