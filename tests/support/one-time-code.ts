import { findTotpStep, totpCode, totpStep } from '#server/foundation/crypto/totp'

/** The codes that a server accepts at this moment, the oldest first: of the last, the current and the next time step. */
export function currentCodes(secret: string): [last: string, current: string, next: string] {
  const step = totpStep(new Date())
  return [totpCode(secret, step - 1), totpCode(secret, step), totpCode(secret, step + 1)]
}

/** A six-digit code that is not right at this moment. */
export function wrongCode(secret: string): string {
  const codes = ['000000', '111111', '222222', '333333']
  return codes.find(code => findTotpStep(secret, code, new Date()) === undefined) ?? '444444'
}

/** Waits until a time step has just begun when it is about to end, so that the codes of a test stay what they are. */
export async function waitForEarlyStep(neededInMs = 12_000): Promise<void> {
  const left = 30_000 - (Date.now() % 30_000)
  if (left < neededInMs) await new Promise(resolve => setTimeout(resolve, left + 50))
}
