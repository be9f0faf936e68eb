/** Every audit event by its code. Heavy with words and schemas: a screen that shows events loads it, the shell does not. */

import type { EventType } from '../events/define-event.ts';
import { KIND_EVENTS, type KindEventFamily } from '../kinds/kind-events.ts';
import * as accessRequests from './access-request-events.ts';
import * as account from './account-events.ts';
import * as audit from './audit-log-events.ts';
import * as billing from './billing-events.ts';
import * as bots from './bot-events.ts';
import * as connectors from './connector-events.ts';
import * as devices from './device-events.ts';
import * as discovery from './discovery-events.ts';
import { EVENT_FAMILIES, type EventFamily } from './event-families.ts';
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

type Modules = readonly object[];

/** Beside those of the kinds. A module of a family exports its events and nothing else. */
const OTHER_MODULES: Record<Exclude<EventFamily, KindEventFamily>, Modules> & Partial<Record<EventFamily, Modules>> = {
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
  nodes: [bots],
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

function modulesOf(family: EventFamily): Modules {
  const ofKinds: readonly Partial<Record<EventFamily, Modules>>[] = Object.values(KIND_EVENTS);
  return [...ofKinds.flatMap((families) => families[family] ?? []), ...(OTHER_MODULES[family] ?? [])];
}

export const EVENT_TYPES: readonly CatalogueEntry[] = (Object.keys(EVENT_FAMILIES) as EventFamily[]).flatMap((family) =>
  modulesOf(family)
    .flatMap((module) => Object.values(module) as EventType[])
    .map((type) => ({ ...type, family }))
    .sort((a, b) => (a.code < b.code ? -1 : 1)),
);

const BY_CODE = new Map(EVENT_TYPES.map((type) => [type.code, type]));

export function eventType(code: string): CatalogueEntry | undefined {
  return BY_CODE.get(code);
}

/** The names of the wire, each once: what a search can be narrowed to. */
export const EVENT_NAMES: readonly string[] = [...new Set(EVENT_TYPES.map(({ event }) => event))].sort();
