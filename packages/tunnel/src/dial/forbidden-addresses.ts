/** Addresses that nothing is dialled at for a resource, by gateways or agents: where clouds give out the credentials of a machine, and what is no machine. */
import { BlockList, isIP, isIPv4 } from 'node:net';

const giveCredentials = new BlockList();
const noMachine = new BlockList();
// Link-local: AWS, Azure, Google and most others serve the credentials of the machine there.
giveCredentials.addSubnet('169.254.0.0', 16, 'ipv4');
giveCredentials.addSubnet('fe80::', 10, 'ipv6');
// The same in IPv6: all services of AWS, of which some give out roles of containers, then Google and Scaleway.
giveCredentials.addSubnet('fd00:ec2::', 32, 'ipv6');
giveCredentials.addAddress('fd20:ce::254', 'ipv6');
giveCredentials.addAddress('fd00:42::42', 'ipv6');
// Alibaba, Oracle and Azure have further ones.
giveCredentials.addAddress('100.100.100.200', 'ipv4');
giveCredentials.addAddress('192.0.0.192', 'ipv4');
giveCredentials.addAddress('168.63.129.16', 'ipv4');
// No address of anything: systems take it for their own.
noMachine.addSubnet('0.0.0.0', 8, 'ipv4');
noMachine.addAddress('::', 'ipv6');
noMachine.addSubnet('224.0.0.0', 4, 'ipv4');
noMachine.addAddress('255.255.255.255', 'ipv4');
noMachine.addSubnet('ff00::', 8, 'ipv6');

/** The address itself, the same text however it was written, and whichever way an IPv4 address is wrapped into an IPv6 one. */
export function plainAddress(address: string): string {
  const unscoped = address.replace(/%.*$/, '');
  if (isIPv4(unscoped) || !isIP(unscoped)) return unscoped;
  const words = wordsOf(unscoped);
  const [first = 0, second = 0, third = 0] = words;
  const isMapped = words.slice(0, 5).every((word) => word === 0) && (words[5] === 0xffff || words[5] === 0);
  const isTranslated = words.slice(0, 4).every((word) => word === 0) && words[4] === 0xffff && words[5] === 0;
  const isNat64 = first === 0x64 && second === 0xff9b;
  if ((isMapped && (words[5] === 0xffff || (words[6] ?? 0) !== 0)) || isTranslated || isNat64)
    return dotted(words[6]!, words[7]!);
  return first === 0x2002 ? dotted(second, third) : words.map((word) => word.toString(16)).join(':');
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function wordsOf(address: string): number[] {
  const last = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const text = last
    ? `${last[1]}${((Number(last[2]) << 8) | Number(last[3])).toString(16)}:${((Number(last[4]) << 8) | Number(last[5])).toString(16)}`
    : address;
  const [front = '', back] = text.split('::');
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16)));
  const [left, right] = [parse(front), back === undefined ? [] : parse(back)];
  const gap = back === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array.from({ length: Math.max(0, gap) }, () => 0), ...right];
}

/** `address` is an IP address in any form. */
export function isForbidden(address: string): boolean {
  return whyForbidden(address) !== undefined;
}

export function givesCredentials(address: string): boolean {
  const plain = plainAddress(address);
  return giveCredentials.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}

/** What is wrong with it, to be said after the address; undefined where it may be dialled. */
export function whyForbidden(address: string): string | undefined {
  if (givesCredentials(address)) return 'gives out credentials of a cloud';
  const plain = plainAddress(address);
  return noMachine.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6') ? 'is not the address of one machine' : undefined;
}
