/** Servers and their keys in words. */

import type { Node } from '@gatehouse/contract/kinds/node/nodes';
import { printable } from '@gatehouse/contract/std/printable';
import { table } from '../../output/table.ts';

const AUTHORITY_FILE = '/etc/ssh/gatehouse_user_ca.pub';

interface Added {
  node: Node;
  authorities: readonly string[];
  hostFingerprints: readonly string[];
}

export function tellAdded({ node, authorities, hostFingerprints }: Added, wasAsked: boolean): string {
  const name = printable(node.hostname);
  const compare =
    wasAsked && hostFingerprints.length > 0
      ? ['Compare them on the server: for key in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf "$key"; done']
      : [];
  return lines([
    `server '${name}' added at ${printable(node.addr)}`,
    ...hostFingerprints.map((fingerprint) => `pinned ${fingerprint}`),
    ...compare,
    '',
    `Let the server trust the gateway. Into ${AUTHORITY_FILE}:`,
    ...authorities.map((line) => `  ${printable(line)}`),
    'Into /etc/ssh/sshd_config, then reload sshd:',
    `  TrustedUserCAKeys ${AUTHORITY_FILE}`,
    '',
    `Then try it: gatehouse nodes test ${name} --login LOGIN`,
  ]);
}

interface Changed {
  node: Node;
  effects: { items: readonly { user: string; gained: readonly string[]; lost: readonly string[] }[]; hidden: number };
}

/** Who can sign in by it, and who no longer. */
export function tellChanged({ node, effects: { items, hidden } }: Changed, dryRun: boolean): string {
  const name = printable(node.hostname);
  const told = items.map(({ user, gained, lost }) => {
    const parts = [
      ...(gained.length > 0 ? [`gains ${gained.join(', ')}`] : []),
      ...(lost.length > 0 ? [`loses ${lost.join(', ')}`] : []),
    ];
    return printable(`${user} ${parts.join(' and ')}`);
  });
  return lines([
    dryRun ? `server '${name}' is left as it is; the change would mean:` : `server '${name}' changed`,
    ...told,
    ...(hidden > 0 ? [`and ${hidden} more`] : []),
    ...(items.length + hidden === 0 ? ['nobody gains or loses a login'] : []),
  ]);
}

export function tellNodes(nodes: readonly Node[]): string {
  if (nodes.length === 0) return 'no servers\n';
  const rows = nodes.map((node) => [node.hostname, addressOf(node), labelsOf(node), node.sshLogins.join(',') || '-']);
  return table([['NAME', 'ADDRESS', 'LABELS', 'LOGINS'], ...rows]);
}

export function tellNode(node: Node): string {
  const { type, agent, os, arch, version } = node.gatehouse ?? {};
  const facts: [string, string | undefined][] = [
    ['name', node.hostname],
    ['id', node.id],
    ['address', addressOf(node)],
    ['labels', labelsOf(node)],
    ['logins', node.sshLogins.join(', ')],
    ['type', type],
    ['agent', agent],
    ['system', [os, arch].filter(Boolean).join(' ')],
    ['version', version],
  ];
  return table(facts.filter(([, value]) => value).map(([name, value]) => [name, value ?? '']));
}

interface HostKeys {
  name: string;
  pinned: readonly { publicKey: string; fingerprint: string }[];
  shown: readonly { publicKey: string; fingerprint: string }[];
}

export function tellHostKeys({ name, pinned, shown }: HostKeys): string {
  const rows = (keys: HostKeys['pinned'], what: string) =>
    keys.map(({ publicKey, fingerprint }) => [what, fingerprint, publicKey.split(' ', 1)[0] ?? '']);
  const news = shown.filter((key) => !pinned.some((known) => known.fingerprint === key.fingerprint));
  const advice =
    news.length === 0
      ? ['everything it shows is pinned']
      : [
          'Compare it on the server itself, not through this connection, and only then:',
          ...news.map(
            ({ fingerprint }) => `  gatehouse nodes trust-host-key ${printable(name)} --fingerprint ${fingerprint}`,
          ),
        ];
  return `${table([...rows(pinned, 'pinned'), ...rows(shown, 'shown')])}${lines(advice)}`;
}

function addressOf({ addr, tunnel }: Node): string {
  if (addr === '') return 'through its agent';
  return tunnel ? `${addr} through an agent` : addr;
}

function labelsOf({ tags }: Node): string {
  return tags.map(({ name, value }) => `${name}=${value}`).join(',');
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}
