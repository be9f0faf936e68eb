/** What one caller is counted by, wherever calls, failures, guesses or connections of an address are counted. */
import { isIPv4 } from 'node:net';

/** One customer of a provider holds a whole /64 of IPv6: its addresses are one, however they are written. */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address;
  const [bare = ''] = address.toLowerCase().split('%', 1);
  const mapped = bare.slice(bare.lastIndexOf(':') + 1);
  // An IPv4 address in the clothes of IPv6 is the same caller.
  if (isIPv4(mapped)) return mapped;
  const [head = '', tail] = bare.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0');
  const all = [...groups, ...zeros, ...rest].map((group) => group.replace(/^0+(?=.)/, ''));
  return `${all.slice(0, 4).join(':')}::/64`;
}
