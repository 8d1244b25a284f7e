export { checkCallbacks, findAuthEndpoint } from './auth-endpoints'
export { refusedSignInPage, signInPage } from './sign-in-page'
export { toLanguage } from './sign-in-texts'
export { signInDevOnFirstUse, submitSignIn } from './submit-sign-in'
