/** Desktops of what a directory says of computers. What it says is not trusted: what no desktop can be is left out. */
import {
  desktopName,
  type OfferedDesktopSpec,
  offeredDesktopSpec,
} from '@gatehouse/contract/kinds/desktop/desktop-spec';
import { labelValue } from '@gatehouse/contract/std/resource-fields';
import type { DirectoryConfig } from './directory-config.ts';

/** Values of one computer, by attribute; of several values the first. */
export type DirectoryEntry = Readonly<Record<string, string>>;

export const ATTRIBUTES = [
  'dNSHostName',
  'operatingSystem',
  'operatingSystemVersion',
  'primaryGroupID',
  'userAccountControl',
] as const;

export interface FoundDesktop {
  name: string;
  labels: Record<string, string>;
  spec: OfferedDesktopSpec;
}

/** Of userAccountControl. */
const DISABLED = 0x2;
/** Domain controllers, also those that only read. */
const CONTROLLERS = new Set(['516', '521']);

/**
 * Without those that share a host name: whoever may enter a computer somewhere in the directory could otherwise give the labels of
 * another, and with them the roles that reach it. Gives their names as well.
 */
export function withoutDoubles(desktops: readonly FoundDesktop[]): { single: FoundDesktop[]; doubled: string[] } {
  const counts = new Map<string, number>();
  for (const { name } of desktops) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isSingle = ({ name }: FoundDesktop) => counts.get(name) === 1;
  return {
    single: desktops.filter(isSingle),
    doubled: [...counts].flatMap(([name, count]) => (count > 1 ? name : [])),
  };
}

type DesktopConfig = Pick<DirectoryConfig, 'labelAttributes' | 'labels' | 'desktopCa' | 'domain' | 'port'>;

/** Undefined for what is disabled, or has no name. */
export function toDesktop(dn: string, entry: DirectoryEntry, told: DesktopConfig): FoundDesktop | undefined {
  const host = (entry.dNSHostName ?? '').toLowerCase();
  if (!desktopName.safeParse(host).success) return undefined;
  if ((Number(entry.userAccountControl ?? 0) & DISABLED) !== 0) return undefined;
  const { desktopCa: ca, domain, port } = told;
  const spec = offeredDesktopSpec.safeParse({
    ...{ addr: `${host}:${port}`, domain },
    ...(ca === undefined ? {} : { certificate: { ca, name: host } }),
  });
  return spec.success ? { name: host, labels: labelsOf(dn, entry, told), spec: spec.data } : undefined;
}

function labelsOf(
  dn: string,
  entry: DirectoryEntry,
  { labelAttributes, labels, domain }: DesktopConfig,
): Record<string, string> {
  const said: [string, string | undefined][] = [
    ['ad/os', entry.operatingSystem],
    ['ad/os-version', entry.operatingSystemVersion],
    ['ad/ou', unitsOf(dn)],
    ['ad/domain', domain],
    ['ad/controller', CONTROLLERS.has(entry.primaryGroupID ?? '') ? 'true' : 'false'],
    ...labelAttributes.map((name): [string, string | undefined] => [`ad/${name}`, entry[name]]),
  ];
  const good = said.filter(([, value]) => value !== undefined && value !== '' && labelValue.safeParse(value).success);
  // What the file says of all of them stands above what the directory says of one.
  return { ...(Object.fromEntries(good) as Record<string, string>), ...labels };
}

/** From the outside in: `CN=a,OU=Web,OU=Servers,DC=corp` is in `Servers/Web`. */
function unitsOf(dn: string): string {
  // A backslash stands before what it takes the meaning from, another one too.
  const names = dn.match(/(?:\\.|[^,\\])+/gs) ?? [];
  const parts = names.flatMap((part) => /^\s*OU=(.*)$/is.exec(part)?.[1] ?? []);
  return parts.reverse().join('/');
}
