/** Hosts as they are compared: those that are written differently and are the same have one form. */

const IPV4_PARTS = 4;
const IPV6_GROUPS = 8;

/** Lower case, without brackets, zone and the dot of the root; addresses as numbers are meant, also where IPv6 only wraps one of IPv4. */
export function comparedHost(host: string): string {
  const plain = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '')
    .replace(/\.+$/, '');
  if (!plain.includes(':')) return ipv4Of(plain)?.join('.') ?? plain;
  const groups = ipv6Of(plain);
  if (!groups) return plain;
  const [high = 0, low = 0] = groups.slice(-2);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  return groups.map((group) => group.toString(16)).join(':');
}

/** Of what `comparedHost` gave: each machine's own. */
export function isComparedLoopback(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '0:0:0:0:0:0:0:1' || /^127(\.\d+){3}$/.test(host)
  );
}

/** As resolvers read it: `10.1` and `0x0a000001` are 10.0.0.1 as well. Undefined where it is a name. */
function ipv4Of(text: string): number[] | undefined {
  const parts = text.split('.');
  if (parts.length > IPV4_PARTS || !parts.every((part) => /^(?:0x[0-9a-f]{0,8}|\d{1,11})$/.test(part)))
    return undefined;
  const numbers = parts.map(numberOf);
  const last = numbers.pop() ?? Number.NaN;
  const room = 256 ** (IPV4_PARTS - numbers.length);
  if (!(last < room) || !numbers.every((number) => number < 256)) return undefined;
  for (let left = IPV4_PARTS - numbers.length - 1; left >= 0; left -= 1)
    numbers.push(Math.floor(last / 256 ** left) % 256);
  return numbers;
}

function numberOf(part: string): number {
  if (part.startsWith('0x')) return Number.parseInt(part.slice(2) || '0', 16);
  return part.length > 1 && part.startsWith('0') ? Number.parseInt(part, 8) : Number(part);
}

function ipv6Of(text: string): number[] | undefined {
  const [, before = text, wrapped] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const ipv4 = wrapped === undefined ? [] : ipv4Of(wrapped);
  if (!ipv4) return undefined;
  const tail = ipv4.length === 0 ? [] : [hexOf(ipv4, 0), hexOf(ipv4, 2)];
  const [head = '', rest, ...further] = `${before}${tail.join(':')}`.split('::');
  if (further.length > 0) return undefined;
  const [front, back] = [groupsOf(head), groupsOf(rest ?? '')];
  const missing = IPV6_GROUPS - front.length - back.length;
  if (rest === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...front, ...new Array<string>(missing).fill('0'), ...back];
  return groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : undefined;
}

function hexOf(ipv4: readonly number[], at: number): string {
  return ((ipv4[at] ?? 0) * 256 + (ipv4[at + 1] ?? 0)).toString(16);
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
