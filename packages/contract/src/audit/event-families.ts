/** The families events are grouped by, each with its title and the name of its icon. */
import type { KindEventFamily } from '../kinds/kind-events.ts';

interface FamilyFacts {
  title: string;
  /** A file of `lucide-react/icons`; whoever shows events maps it, so that no icon is loaded by name. */
  icon: string;
}

export const EVENT_FAMILIES = {
  'sign-in': { title: 'Signing in', icon: 'log-in' },
  account: { title: 'Own account', icon: 'fingerprint-pattern' },
  users: { title: 'Users', icon: 'users' },
  roles: { title: 'Roles', icon: 'shield-check' },
  locks: { title: 'Locks', icon: 'lock' },
  'access-requests': { title: 'Access requests', icon: 'hand' },
  connectors: { title: 'Sign-in connectors', icon: 'plug' },
  'saml-idp': { title: 'SAML identity provider', icon: 'id-card' },
  sessions: { title: 'Sessions', icon: 'square-terminal' },
  recordings: { title: 'Recordings', icon: 'circle-play' },
  ssh: { title: 'SSH', icon: 'terminal' },
  files: { title: 'File transfer', icon: 'folder' },
  nodes: { title: 'Servers and agents', icon: 'server' },
  apps: { title: 'Applications', icon: 'app-window' },
  kubernetes: { title: 'Kubernetes', icon: 'ship-wheel' },
  databases: { title: 'Databases', icon: 'database' },
  desktops: { title: 'Desktops', icon: 'monitor' },
  devices: { title: 'Trusted devices', icon: 'laptop' },
  'trusted-clusters': { title: 'Trusted clusters', icon: 'share-2' },
  discovery: { title: 'Discovery', icon: 'radar' },
  billing: { title: 'Billing', icon: 'wallet' },
  audit: { title: 'Audit log', icon: 'scroll-text' },
  gateway: { title: 'Gateway', icon: 'settings' },
  unknown: { title: 'Unknown', icon: 'circle-question-mark' },
} as const satisfies Record<KindEventFamily, FamilyFacts> & Record<string, FamilyFacts>;

export type EventFamily = keyof typeof EVENT_FAMILIES;
export type EventIcon = (typeof EVENT_FAMILIES)[EventFamily]['icon'];
