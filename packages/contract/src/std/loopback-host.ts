/** Whether an address works on the gateway's own machine only: a link that begins with it is of no use to anybody else. */

export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/** The same for a whole address; what cannot be read is not. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(/^https?:\/\/(\[[^\]]*\]|[^/:?#]*)/i.exec(url)?.[1]?.toLowerCase() ?? '');
}
