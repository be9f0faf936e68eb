/** Where a request comes from, for doors that are not Fastify's: forwarded headers count only from trusted proxies. */
import { BlockList, isIP } from 'node:net';

export type ClientAddress = (peer: string | undefined, forwardedFor: string) => string;

/** Whether an address is one of the proxies whose forwarded headers are believed; Fastify asks the same. */
export function createTrust(trusted: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const each of trusted) {
    const [address = '', bits] = each.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0) continue;
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}

export function createClientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return (peer) => peer ?? '';
  const isTrusted = createTrust(trusted);
  return (peer = '', forwardedFor) => {
    let address = peer;
    // From the nearest hop outwards: the first that nobody vouches for is the client, whatever stands before it.
    for (const hop of forwardedFor === '' ? [] : forwardedFor.split(',').reverse()) {
      if (!isTrusted(address)) break;
      const next = hop.trim();
      if (isIP(next) === 0) break;
      address = next;
    }
    return address;
  };
}
