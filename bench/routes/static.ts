import { defineEventHandler, setResponseHeader } from 'h3'

const html = Buffer.from(`<!DOCTYPE html><title>bare</title>${'<p>text</p>'.repeat(300)}`)

/** The limit for a page: a buffer from memory. */
export default defineEventHandler(event => {
  setResponseHeader(event, 'content-type', 'text/html; charset=utf-8')
  return html
})
