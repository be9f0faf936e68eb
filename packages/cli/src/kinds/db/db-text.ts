/** Databases in words. */
import type { Database, DatabaseDetails } from '@gatehouse/contract/kinds/db/databases';
import { printable } from '@gatehouse/contract/std/printable';
import { shellQuoted } from '../../output/shell-quoted.ts';
import { table } from '../../output/table.ts';

export function tellDbs(all: readonly Database[]): string {
  if (all.length === 0) return 'no databases\n';
  const rows = all.map((each) => [
    each.name,
    each.gatehouse?.title ?? each.protocol,
    each.gatehouse?.uri ?? each.hostname,
    each.database_users?.join(',') || '-',
    each.database_names?.join(',') || '-',
    labelsOf(each),
    notesOf(each),
  ]);
  return table([['NAME', 'TYPE', 'ADDRESS', 'USERS', 'DATABASES', 'LABELS', 'NOTES'], ...rows]);
}

export function tellDb({ item, ...more }: DatabaseDetails): string {
  const facts: [string, string | undefined][] = [
    ['name', item.name],
    ['description', item.desc],
    ['type', item.gatehouse?.title],
    ['address', more.uri],
    ['reached by', reachedBy(more)],
    ['TLS', more.tls.mode],
    ['signed in by', item.gatehouse?.signIn],
    ['lets nobody in', item.gatehouse?.wrong],
    ['version', more.learned?.version],
    ['last reached', more.learned?.reached],
    ['certificate ends', more.learned?.certificateEnds],
    ['passwords stored of', more.stored.join(', ')],
    ['database', more.database],
    ['makes users', more.adminUser.name],
    ['your users', item.database_users?.join(', ')],
    ['your databases', item.database_names?.join(', ')],
    ['labels', labelsOf(item)],
  ];
  return table(facts.filter(([, value]) => value).map(([name, value]) => [name, value ?? '']));
}

/** Who adds one is not thereby let in: that is for roles and traits to say, and worth knowing before psql does. */
export function tellAddedDb(
  { name, protocol, database_users: mine }: Database,
  dbUser: string | undefined,
  dbName = protocol === 'redis' ? '0' : undefined,
): string {
  const user = dbUser === undefined ? 'USER' : shellQuoted(printable(dbUser));
  const names = ` --db-names ${dbName === undefined ? 'DATABASE' : shellQuoted(printable(dbName))}`;
  const isIn = dbUser !== undefined && mine?.some((each) => each === dbUser || each === '*');
  return [
    `database '${printable(name)}' added\n`,
    isIn ? '' : `Let somebody connect with: gatehouse users edit NAME --db-users ${user}${names}\n`,
    `Reach it with: gatehouse proxy db ${printable(name)} --db-user ${user}\n`,
  ].join('');
}

function labelsOf({ labels }: Database): string {
  return labels.map(({ name, value }) => `${name}=${value}`).join(',') || '-';
}

function notesOf({ gatehouse }: Database): string {
  const notes = [
    gatehouse?.wrong ? 'must be changed' : '',
    gatehouse?.tls === 'off' ? 'no TLS' : '',
    gatehouse?.tls === 'insecure' ? 'insecure TLS' : '',
    gatehouse?.readOnly ? 'read-only' : '',
    gatehouse && gatehouse.ways > 0 && gatehouse.connected === 0 ? 'agent away' : '',
  ];
  return notes.filter(Boolean).join(', ') || '-';
}

/** Which agents, and why those. */
function reachedBy({ agents, through }: Pick<DatabaseDetails, 'agents' | 'through'>): string {
  const names = agents.map(({ name, connected }) => (connected ? name : `${name} (away)`)).join(', ');
  if (names === '') return 'the gateway';
  return through.length > 0 ? names : `${names} (by its labels, or as they offer it)`;
}
