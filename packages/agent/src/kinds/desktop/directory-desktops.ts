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

type Told = Pick<DirectoryConfig, 'labelAttributes' | 'labels' | 'desktopCa' | 'domain' | 'port'>;

/** Undefined for what is disabled, or has no name. */
export function toDesktop(dn: string, entry: DirectoryEntry, told: Told): FoundDesktop | undefined {
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
  { labelAttributes, labels, domain }: Told,
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
  const parts = dn.split(/(?<!\\),/).flatMap((part) => /^\s*OU=(.*)$/i.exec(part)?.[1] ?? []);
  return parts.reverse().join('/');
}
