/** What a server says of a failure, fit to be told and kept: it may be as long as a packet, and steer a terminal. */
const MAX_LENGTH = 200;

export function serverWords({ message }: Error): string {
  const plain = message.slice(0, 2 * MAX_LENGTH).replaceAll(/[^\x20-\x7e\u00a0-\uffff]+/g, ' ');
  return plain.length > MAX_LENGTH ? `${plain.slice(0, MAX_LENGTH)}…` : plain;
}
