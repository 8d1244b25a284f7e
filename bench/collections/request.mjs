import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** Sends a GET through a node listener without a network and returns the response's status and body. */
export function requestThrough(listener, path, headers = { accept: 'application/ld+json', host: 'localhost' }) {
  const request = new IncomingMessage(new Socket())
  request.method = 'GET'
  request.url = path
  request.headers = headers
  const response = new ServerResponse(request)
  return new Promise((resolve, reject) => {
    let body = ''
    response.write = chunk => ((body += String(chunk)), true)
    response.end = chunk => {
      if (chunk) body += String(chunk)
      // Native memory is only freed when the event loop turns.
      setImmediate(resolve, { status: response.statusCode, body })
      return response
    }
    response.once('error', reject)
    listener(request, response)
  })
}
