/** The one table of resource kinds. Add a row and the compiler names every place that must learn about it. */
import type { AclGroup } from '../access/acl.ts';

interface KindFacts {
  /** The last segment of the list call and of the screen's address. */
  path: string;
  /** The acl group that lists it. */
  acl: AclGroup;
  /** How an active session of it is called on the wire. */
  sessionKind: string;
  /** Sessions with it are recorded, unless somebody turns that off; of the others the audit log tells. */
  recorded: boolean;
  /** Fields a list can be sorted by. */
  sortable: readonly string[];
}

export const KINDS = {
  node: { path: 'nodes', acl: 'nodes', sessionKind: 'ssh', recorded: true, sortable: ['name', 'hostname', 'address'] },
  app: {
    path: 'apps',
    acl: 'appServers',
    sessionKind: 'app',
    recorded: false,
    sortable: ['name', 'description', 'publicAddress'],
  },
  kube: { path: 'kubernetes', acl: 'kubeServers', sessionKind: 'k8s', recorded: true, sortable: ['name'] },
  db: {
    path: 'databases',
    acl: 'dbServers',
    sessionKind: 'db',
    recorded: false,
    sortable: ['name', 'description', 'type'],
  },
  desktop: { path: 'desktops', acl: 'desktops', sessionKind: 'desktop', recorded: true, sortable: ['name', 'address'] },
} as const satisfies Record<string, KindFacts>;

export type Kind = keyof typeof KINDS;
export const kinds: readonly Kind[] = Object.keys(KINDS) as Kind[];

export function isKind(text: string): text is Kind {
  return Object.hasOwn(KINDS, text);
}
