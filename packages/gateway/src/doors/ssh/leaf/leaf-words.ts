/** What another cluster says, fit to be told: it may be as long as a packet, and steer a terminal. */
import { printable } from '@gatehouse/contract/std/printable';

const MAX_LENGTH = 300;

export function leafWords({ message }: Error): string {
  const plain = printable(message.slice(0, MAX_LENGTH)).replace(/^\(SSH\) Channel open failure: /, '');
  return plain.replace(/^gatehouse: /, '');
}
