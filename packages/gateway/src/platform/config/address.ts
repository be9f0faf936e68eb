/** Addresses of the configuration made canonical once: where to listen, what the world calls us, which proxies to believe. */
import { BlockList, isIP } from 'node:net';

export interface ListenAddress {
  host: string;
  port: number;
}

export interface PublicAddress {
  /** Lower case, without brackets; punycode for international names. */
  host: string;
  port: number;
  /** Set only when the scheme was written out; otherwise it follows from how the gateway is reached. */
  scheme?: 'http' | 'https';
}

/** `host:port` or `[ipv6]:port`. Gives the address, or a sentence saying what is wrong. */
export function parseListen(text: string): ListenAddress | string {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text.trim());
  if (!match) return 'must be host:port, for example 127.0.0.1:3080 or [::1]:3080';
  const [, bracketed, plain] = match;
  const port = Number(match[3]);
  if (port > 65_535) return 'the port must be between 0 and 65535';
  if (bracketed !== undefined) {
    return isIP(bracketed) === 6 ? { host: bracketed.toLowerCase(), port } : 'only an IPv6 address goes in brackets';
  }
  if (!plain) return 'the host is missing; write 0.0.0.0:<port> or [::]:<port> to listen on every address';
  if (isIP(plain) === 4 || isHostName(plain)) return { host: plain.toLowerCase(), port };
  return 'the host must be an IP address or a host name';
}

/** `host`, `host:port` or an http(s) URL without a path. A bare host means the usual port of its scheme (port 0 here). */
export function parsePublicAddress(text: string): PublicAddress | string {
  const hint = 'must be a host, host:port or https:// address, for example gate.example.com';
  const written = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (written !== undefined && written !== 'http' && written !== 'https') return hint;
  const scheme = written;
  // Parsed as ftp when no scheme is written, so that an explicit :80 or :443 is not swallowed as somebody's default.
  const url = URL.parse(scheme ? text : `ftp://${text}`);
  if (!url?.hostname) return hint;
  if (url.username || url.password || url.search || url.hash || !['', '/'].includes(url.pathname)) {
    return 'must name only a host and a port: no path, user or query';
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) === 0 && !isHostName(host)) return hint;
  if (host === '0.0.0.0' || host === '::') return 'must be an address people can open, not the one for every interface';
  if (url.port === '0') return 'the port must be between 1 and 65535';
  const explicit = /:(\d+)\/?$/.exec(text)?.[1];
  const port = url.port ? Number(url.port) : Number(explicit ?? 0);
  return scheme === undefined ? { host, port } : { host, port, scheme };
}

/** As `parsePublicAddress`, for programs that know no schemes. A bare host means the port that is listened on (port 0 here). */
export function parseSshAddress(text: string): ListenAddress | string {
  const address = parsePublicAddress(text);
  if (typeof address === 'string' || address.scheme)
    return 'must be a host or host:port, for example gate.example.com:3022';
  return { host: address.host, port: address.port };
}

/** An IP address or a CIDR range; a sentence when it is neither, or when it means everybody. */
export function parseRange(text: string): string | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return 'must be an IP address or a range such as 10.0.0.0/8';
  if (length === undefined) return undefined;
  if (!/^\d{1,3}$/.test(length) || Number(length) > (family === 4 ? 32 : 128)) {
    return `the length after / must be between 1 and ${family === 4 ? 32 : 128}`;
  }
  // Believing everybody lets any caller write their own address into the logs and around the rate limits.
  if (Number(length) === 0) return 'must not cover every address: anybody could then forge theirs';
  return undefined;
}

export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host === 'localhost' || host.endsWith('.localhost');
  return LOOPBACK.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** The host as it stands in a URL. */
export function urlHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

function isHostName(text: string): boolean {
  if (text.length > 253) return false;
  const labels = text.split('.');
  // A last label of digits alone would be read as a broken IPv4 address by every other parser.
  if (/^\d+$/.test(labels.at(-1) ?? '')) return false;
  return labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label));
}
