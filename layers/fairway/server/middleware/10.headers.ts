import { defineEventHandler } from 'h3'
import { setBaseHeaders } from '#fairway/server/enter-request'

/** The headers of every answer once more: route rules are applied in between, and those of an application may put others in their place. */
export default defineEventHandler(setBaseHeaders)
