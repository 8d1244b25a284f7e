import * as z from 'zod/mini'

/** What `GET /_fw/auth/methods` answers: the ways to sign in here, the same for everybody. */
export const signInMethodsSchema = z.object({
  /** Where people sign in instead, for applications without a sign-in of their own; the others then name no way. */
  elsewhere: z.nullable(z.string()),
  /** A link by mail, which comes first where it is offered. */
  magicLink: z.boolean(),
  password: z.boolean(),
  /** Creating an account with a password. */
  signUp: z.boolean(),
  /** Choosing a new password by mail. */
  reset: z.boolean(),
  passkey: z.boolean(),
  /** In the order of the sign-in page; `hub` is the identity hub. */
  providers: z.array(z.object({ id: z.string(), name: z.string() })),
})

export type SignInMethods = z.output<typeof signInMethodsSchema>
