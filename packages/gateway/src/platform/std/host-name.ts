/** Which host a request names. */

/** The host a request names; undefined without one. */
export function requestHost(raw: readonly string[]): string | undefined {
  for (let at = 0; at < raw.length; at += 2) {
    const name = raw[at]!;
    if (name === ':authority' || (name.length === 4 && name.toLowerCase() === 'host')) return hostName(raw[at + 1]!);
  }
  return undefined;
}

/** Lower case, without port; a dot at the end names the same host in the DNS. */
export function hostName(value: string): string {
  const colon = value.lastIndexOf(':');
  const name = colon >= 0 && value.indexOf(']', colon) < 0 ? value.slice(0, colon) : value;
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}
