export { checkSecondFactor, signInWithCode, sweepSecondFactorSignIns } from './second-factor-sign-in'
export { activateTwoFactor, endTwoFactor, renewBackupCodes, startTwoFactor, twoFactorState } from './setup'
export { twoFactorInput } from './two-factor-input'
export { twoFactorSealedColumns } from './sealed-columns'
