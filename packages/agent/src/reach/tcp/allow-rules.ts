/** What an agent may dial: rules of its own configuration, held against the address that is really dialled. */
import { BlockList, isIP } from 'node:net';
import { isForbidden, plainAddress } from '@gatehouse/tunnel/dial/forbidden-addresses';

const NAME = /^(\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?$/;
const RULE = /^(?:\[([^\]]+)\]|([^[\]:]+)):(\*|\d{1,5}(?:-\d{1,5})?)$/;

export interface AllowRule {
  /** As it was written. */
  text: string;
  /** Lower case; `*.` in front stands for one or more labels. Undefined in a rule about addresses. */
  name: string | undefined;
  addresses: BlockList | undefined;
  /** One address, not a range of them. */
  isExact: boolean;
  ports: { first: number; last: number };
}

/** A rule, or a sentence about what is wrong with the text. */
export function parseRule(text: string): AllowRule | string {
  const [, bracketed, plain, ports = ''] = RULE.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) return 'must be HOST:PORT, with an IPv6 address in brackets';
  const range = parsePorts(ports);
  if (!range) return `has no port from 1 to 65535, and no range of them: '${ports}'`;
  const addresses = parseAddresses(host);
  if (addresses) return { text, name: undefined, addresses, isExact: !host.includes('/'), ports: range };
  if (bracketed !== undefined || host.includes('/')) return `holds no address or range of addresses: '${host}'`;
  if (!NAME.test(host)) return `holds no name of a host: '${host}'`;
  return { text, name: host.toLowerCase(), addresses: undefined, isExact: false, ports: range };
}

export interface Dialled {
  /** As it was asked for. */
  host: string;
  /** What the name stands for. */
  address: string;
  port: number;
}

/**
 * A rule with a name allows what the name stands for, but not this machine itself, its link or a group: whoever answers for
 * a name could otherwise point it at a service that trusts its neighbours. Those must be allowed by address. Where a cloud
 * gives out the credentials of this machine is allowed by that very address alone, and by no range it happens to lie in.
 */
export function isAllowed(rules: readonly AllowRule[], { host, address, port }: Dialled): boolean {
  const plain = plainAddress(address);
  const byName = !isNearby(plain) || host.toLowerCase() === 'localhost';
  const mustBeExact = isForbidden(plain);
  return rules.some(({ name, addresses, isExact, ports }) => {
    if (port < ports.first || port > ports.last) return false;
    if (mustBeExact && !isExact) return false;
    // A range of a network that wraps IPv4 is written as one of IPv6.
    if (addresses) return holds(addresses, plain) || holds(addresses, address);
    return byName && isIP(host) === 0 && name !== undefined && matchesName(name, host.toLowerCase());
  });
}

function matchesName(pattern: string, host: string): boolean {
  const bare = host.endsWith('.') ? host.slice(0, -1) : host;
  return pattern.startsWith('*.')
    ? bare.endsWith(pattern.slice(1)) && bare.length > pattern.length - 1
    : bare === pattern;
}

function parsePorts(text: string): AllowRule['ports'] | undefined {
  if (text === '*') return { first: 1, last: 65_535 };
  const [first = 0, last = first] = text.split('-').map(Number);
  return first >= 1 && last >= first && last <= 65_535 ? { first, last } : undefined;
}

function parseAddresses(host: string): BlockList | undefined {
  const [address = '', bits, ...more] = host.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return undefined;
  const family = version === 6 ? 'ipv6' : 'ipv4';
  const list = new BlockList();
  if (bits === undefined) {
    list.addAddress(address, family);
    return list;
  }
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (version === 6 ? 128 : 32)) return undefined;
  list.addSubnet(address, Number(bits), family);
  return list;
}

function isNearby(address: string): boolean {
  return holds(NEARBY, address);
}

function holds(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

const NEARBY = new BlockList();
for (const [range, bits] of [
  ['0.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 3],
] as const) {
  NEARBY.addSubnet(range, bits, 'ipv4');
}
for (const [range, bits] of [
  ['::', 127],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  NEARBY.addSubnet(range, bits, 'ipv6');
}
