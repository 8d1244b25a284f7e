import { defineEventHandler } from 'h3'
import { checkOwnSignIn } from '#fairway/server/enter-request'

/** Where people sign in elsewhere, our own sign-in has no endpoints. */
export default defineEventHandler(checkOwnSignIn)
