// Vitest ends its workers with a signal, and Node emits no `exit` event then: the tests' servers and folders would stay.
process.once('SIGTERM', () => {
  process.emit('exit', 143)
  process.kill(process.pid, 'SIGKILL')
})
