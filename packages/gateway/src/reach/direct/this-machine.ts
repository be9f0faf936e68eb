/** Which addresses are the machine the gateway runs on. */
import { BlockList, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { plainAddress } from '@gatehouse/tunnel/dial/forbidden-addresses';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** `address` is an IP address in any form. */
export function isThisMachine(address: string): boolean {
  const plain = plainAddress(address);
  if (loopback.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')) return true;
  return Object.values(networkInterfaces()).some((all) => all?.some((each) => plainAddress(each.address) === plain));
}
