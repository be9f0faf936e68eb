/** Every audit event by its code. Heavy with words and schemas: a screen that shows events loads it, the shell does not. */

import type { EventType } from '../events/define-event.ts';
import * as apps from '../kinds/app/app-events.ts';
import * as databases from '../kinds/db/db-events.ts';
import * as mysql from '../kinds/db/mysql-events.ts';
import * as otherDatabases from '../kinds/db/other-database-events.ts';
import * as postgres from '../kinds/db/postgres-events.ts';
import * as desktops from '../kinds/desktop/desktop-events.ts';
import * as kubernetes from '../kinds/kube/kube-events.ts';
import * as scp from '../kinds/node/scp-events.ts';
import * as servers from '../kinds/node/server-events.ts';
import * as sftp from '../kinds/node/sftp-events.ts';
import * as ssh from '../kinds/node/ssh-events.ts';
import * as accessRequests from './access-request-events.ts';
import * as account from './account-events.ts';
import * as audit from './audit-log-events.ts';
import * as billing from './billing-events.ts';
import * as bots from './bot-events.ts';
import * as connectors from './connector-events.ts';
import * as devices from './device-events.ts';
import * as discovery from './discovery-events.ts';
import type { EventFamily } from './event-families.ts';
import * as gateway from './gateway-events.ts';
import * as locks from './lock-events.ts';
import * as recordings from './recording-events.ts';
import * as roles from './role-events.ts';
import * as samlIdp from './saml-idp-events.ts';
import * as sessions from './session-events.ts';
import * as signIn from './sign-in-events.ts';
import * as trustedClusters from './trusted-cluster-events.ts';
import * as unknown from './unknown-events.ts';
import * as users from './user-events.ts';

/** A module of a family exports its events and nothing else. */
const MODULES: Record<EventFamily, readonly object[]> = {
  'sign-in': [signIn],
  account: [account],
  users: [users],
  roles: [roles],
  locks: [locks],
  'access-requests': [accessRequests],
  connectors: [connectors],
  'saml-idp': [samlIdp],
  sessions: [sessions],
  recordings: [recordings],
  ssh: [ssh],
  files: [scp, sftp],
  nodes: [servers, bots],
  apps: [apps],
  kubernetes: [kubernetes],
  databases: [databases, postgres, mysql, otherDatabases],
  desktops: [desktops],
  devices: [devices],
  'trusted-clusters': [trustedClusters],
  discovery: [discovery],
  billing: [billing],
  audit: [audit],
  gateway: [gateway],
  unknown: [unknown],
};

export interface CatalogueEntry extends EventType {
  family: EventFamily;
}

export const EVENT_TYPES: readonly CatalogueEntry[] = Object.entries(MODULES).flatMap(([family, modules]) =>
  modules
    .flatMap((module) => Object.values(module) as EventType[])
    .map((type) => ({ ...type, family: family as EventFamily }))
    .sort((a, b) => (a.code < b.code ? -1 : 1)),
);

const BY_CODE = new Map(EVENT_TYPES.map((type) => [type.code, type]));

export function eventType(code: string): CatalogueEntry | undefined {
  return BY_CODE.get(code);
}

/** The names of the wire, each once: what a search can be narrowed to. */
export const EVENT_NAMES: readonly string[] = [...new Set(EVENT_TYPES.map(({ event }) => event))].sort();
