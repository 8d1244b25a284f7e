import { defineEventHandler } from 'h3'
import { openToOtherSites } from '#fairway/server/enter-request'

/** Lets pages of every origin use the endpoints by which hosts connect. */
export default defineEventHandler(openToOtherSites)
