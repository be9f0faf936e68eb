/** What one caller is counted by, wherever calls, failures, guesses or connections are counted, and what a sign-in is tied to. */

/** One customer of a provider holds a whole /64: its addresses are one. However it is written, one address has one key. */
export function clientKey(address: string): string {
  if (!address.includes(':')) return address;
  const groups = groupsOf(address.split('%', 1)[0] as string);
  if (!groups) return address;
  const older = olderIn(groups);
  if (older) return older.flatMap((group) => [group >> 8, group & 255]).join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The network around it, for what must hold against many addresses of one holder: a /48, or a /24 of the older addresses. Takes a client's key as well. */
export function clientNetwork(address: string): string {
  const key = clientKey(address.split('/', 1)[0] as string);
  if (!key.includes(':')) return key.split('.').length === 4 ? `${key.split('.').slice(0, 3).join('.')}.0/24` : key;
  return key.endsWith('/64') ? `${key.split(':').slice(0, 3).join(':')}::/48` : key;
}

/** What one holder may have been given as a whole, with as many networks as they like in it: a /32, or a /16 of the older addresses. Takes a network or a client's key as well. */
export function clientRegion(address: string): string {
  // Tables hold thousands of networks, each written as it is here already.
  const network = /\/(?:24|48)$/.test(address) ? address : clientNetwork(address);
  if (network.endsWith('/24')) return `${network.split('.').slice(0, 2).join('.')}.0.0/16`;
  return network.endsWith('/48') ? `${network.split(':').slice(0, 2).join(':')}::/32` : network;
}

const MAPPED = [0, 0, 0, 0, 0, 0xffff];
const NAT64 = [0x64, 0xff9b, 0, 0, 0, 0];
const TEREDO = [0x2001, 0];

/** The IPv4 address in one that only carries it: all who come that way have one /64, and would be one client. */
function olderIn(groups: readonly number[]): readonly number[] | undefined {
  const begins = (prefix: readonly number[]) => prefix.every((group, at) => groups[at] === group);
  if (begins(MAPPED) || begins(NAT64)) return groups.slice(6);
  // Written the other way round, so that no device on the way changes it.
  return begins(TEREDO) ? groups.slice(6).map((group) => group ^ 0xffff) : undefined;
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] | undefined {
  const [head = '', tail, more] = address.split('::');
  if (more !== undefined) return undefined;
  const before = numbersOf(head);
  const after = tail === undefined ? [] : numbersOf(tail);
  const left = 8 - before.length - after.length;
  if (left < 0 || (tail === undefined && left !== 0)) return undefined;
  const groups = [...before, ...Array.from({ length: left }, () => 0), ...after];
  return groups.every((group) => group >= 0 && group <= 0xffff) ? groups : undefined;
}

function numbersOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [/^[0-9a-f]{1,4}$/i.test(group) ? Number.parseInt(group, 16) : -1];
    const bytes = group.split('.').map((byte) => (/^\d{1,3}$/.test(byte) ? Number(byte) : -1));
    if (bytes.length !== 4 || bytes.some((byte) => byte < 0 || byte > 255)) return [-1];
    return [bytes[0]! * 256 + bytes[1]!, bytes[2]! * 256 + bytes[3]!];
  });
}
