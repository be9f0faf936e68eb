/** Desktops in words. */
import type {
  Desktop,
  DesktopDetails,
  ShownCertificate,
  WidePassword,
} from '@gatehouse/contract/kinds/desktop/desktops';
import { printable } from '@gatehouse/contract/std/printable';
import { table } from '../../output/table.ts';

export function tellDesktops(all: readonly Desktop[]): string {
  if (all.length === 0) return 'no desktops\n';
  const rows = all.map((each) => [each.name, each.addr, each.logins.join(',') || '-', labelsOf(each), notesOf(each)]);
  return table([['NAME', 'ADDRESS', 'LOGINS', 'LABELS', 'NOTES'], ...rows]);
}

export function tellDesktop({ item, ...more }: DesktopDetails): string {
  const { agent, certificate } = more;
  const facts: [string, string | undefined][] = [
    ['name', item.name],
    ['address', more.addr],
    ['protocol', more.protocol],
    ['domain', more.domain],
    ['reached by', agent && `${agent.name}${agent.connected ? '' : ' (not connected)'}`],
    [
      'certificate',
      certificate && ('pin' in certificate ? certificate.pin : `of an authority, for ${certificate.name}`),
    ],
    ['taken because', more.provenBy && `the machine knew the password of ${more.provenBy.replace(/^\\/, '')}`],
    ['lets nobody in', item.gatehouse?.wrong],
    ['passwords stored of', more.passwords.map(({ login }) => login).join(', ')],
    ['others', more.askPassword ? 'people type theirs' : 'may not be typed'],
    ['your logins', item.logins.join(', ')],
    ['labels', labelsOf(item)],
    ['notes', notesOf(item)],
  ];
  return table(facts.filter(([, value]) => value).map(([name, value]) => [name, value ?? '']));
}

/** Who adds one is not thereby let in: that is for roles and traits to say, and worth knowing before the first try. */
export function tellAddedDesktop({ name, logins }: Desktop): string {
  return [
    `desktop '${printable(name)}' added\n`,
    `Store a password with: gatehouse desktops password ${printable(name)} LOGIN\n`,
    logins.length > 0 ? '' : 'Let somebody in with: gatehouse users edit NAME --windows-logins LOGIN\n',
  ].join('');
}

export function tellCertificate({ pin, subject, issuer, until }: ShownCertificate): string {
  return table([
    ['certificate of', subject],
    ...(issuer === subject ? [] : [['vouched for by', issuer]]),
    ['SHA-256', pin],
    ['good until', until],
  ]);
}

export function tellWidePasswords(all: readonly WidePassword[]): string {
  if (all.length === 0) return 'no passwords are stored by labels\n';
  const rows = all.map(({ login, labels, agents, stored, storedBy }) => [
    login,
    Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(','),
    agents.join(',') || '-',
    stored,
    storedBy,
  ]);
  return table([['LOGIN', 'LABELS', 'AGENTS', 'STORED', 'BY'], ...rows]);
}

function labelsOf({ labels }: Desktop): string {
  return labels.map(({ name, value }) => `${name}=${value}`).join(',') || '-';
}

function notesOf({ gatehouse }: Desktop): string {
  if (!gatehouse) return '';
  const { lacks, wrong, stored } = gatehouse;
  return [
    wrong === undefined ? '' : `lets nobody in: ${wrong}`,
    lacks.includes('certificate') ? 'nobody has accepted its certificate' : '',
    lacks.includes('agent') ? 'the agent that reaches it is not connected' : '',
    stored.length === 0 ? '' : `stored: ${stored.join(', ')}`,
  ]
    .filter((note) => note !== '')
    .join('; ');
}
