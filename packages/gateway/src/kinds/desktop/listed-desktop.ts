/** A desktop as it stands in the inventory, with what follows from its record. */
import {
  type DesktopSpec,
  readStoredDesktop,
  type StoredCertificate,
  type StoredDesktop,
} from '@gatehouse/contract/kinds/desktop/desktop-spec';
import type { AccessControl } from '../../access/create-access.ts';
import { findResource, type Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { canonicalJson } from '../../platform/std/canonical-json.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { Target } from '../../reach/reach.ts';
import { readPins, type StoredPin } from './desktop-pins.ts';

export interface ListedDesktop extends StoredDesktop {
  resource: Resource;
  /** Id of the agent that dials; empty: the gateway. What an agent offers is never dialled from the gateway. */
  dialledBy: string;
  /** Its host is known by this: what the record says, or what somebody accepted for one that an agent offers. */
  certificate: StoredCertificate | undefined;
}

export async function readDesktop(
  from: Db,
  { cluster, name }: { cluster: string; name: string },
): Promise<ListedDesktop | undefined> {
  const resource = await findResource(from, { cluster, kind: 'desktop', id: name });
  return resource && (await toListedDesktops(from, [resource]))[0];
}

export async function toListedDesktops(from: Db, resources: readonly Resource[]): Promise<ListedDesktop[]> {
  const pins = await readPins(
    from,
    resources.filter(({ owner }) => owner !== ''),
  );
  return resources.map((resource) => toListedDesktop(resource, pins.get(resource.id)));
}

/** `pinned`: what was accepted for one that an agent offers, and for which target. */
export function toListedDesktop(resource: Resource, pinned?: StoredPin): ListedDesktop {
  const stored = readStoredDesktop(resource.spec);
  const { spec } = stored;
  const dialledBy = resource.owner === '' ? spec.through : resource.owner;
  const isMeant = pinned !== undefined && pinned.target === offeredTargetOf({ resource, spec });
  return { ...stored, resource, dialledBy, certificate: isMeant ? pinned.certificate : spec.certificate };
}

export interface SeenDesktopDeps {
  db: Db;
  access: Pick<AccessControl, 'decide'>;
  clusterName: string;
}

/** Throws `not_found`, alike for what is not there and what is not seen. */
export async function findSeenDesktop(
  { db, access, clusterName }: SeenDesktopDeps,
  actor: Actor,
  name: string,
): Promise<ListedDesktop> {
  const found = await readDesktop(db, { cluster: clusterName, name });
  if (found && access.decide(actor, { type: 'see', kind: 'desktop', resource: found.resource }).allowed) return found;
  throw notFound('desktop', name);
}

/** The bytes as they are: RDP and VNC begin TLS by themselves. Desktops may be on the machine of the gateway, beside it. */
export function desktopTarget(desktop: ListedDesktop): Target {
  const { resource, spec, wrong, dialledBy } = desktop;
  if (wrong !== '')
    throw new AppError('conflict', `the record of '${resource.name}' lets nobody in until it is changed: ${wrong}`);
  return {
    addr: spec.addr,
    through: dialledBy === '' ? 'gateway' : { agent: dialledBy },
    mayBeThisMachine: true,
  };
}

/** How much a host of VNC must prove: one that is known by its certificate TLS, and one that an agent reaches nothing. */
export function vncTrust({ dialledBy, certificate }: Pick<ListedDesktop, 'dialledBy' | 'certificate'>): {
  mayBePlain: boolean;
  mustBeSecure: boolean;
} {
  return { mayBePlain: dialledBy !== '', mustBeSecure: certificate !== undefined };
}

/** What its certificate is looked for under, and what TLS is told: a name where there is one, else the host of its address. */
export function desktopServerName({ spec, certificate }: Pick<ListedDesktop, 'spec' | 'certificate'>): string {
  if (certificate && 'ca' in certificate) return certificate.name;
  return hostOf(spec.addr);
}

/** Without brackets. */
export function hostOf(addr: string): string {
  return addr.slice(0, addr.lastIndexOf(':')).replace(/^\[|\]$/g, '');
}

/** Whatever decides who hears what is sent: whoever could change one of these alone could have passwords sent to themselves. */
export function desktopTargetOf({ resource, spec, certificate }: Omit<ListedDesktop, 'wrong' | 'dialledBy'>): string {
  return canonicalJson([...targetParts({ resource, spec }), certificate ?? null]);
}

/** Of one that an agent offers, without its certificate: for what that one was accepted. */
export function offeredTargetOf(desktop: Pick<ListedDesktop, 'resource' | 'spec'>): string {
  return canonicalJson([...targetParts(desktop), desktop.spec.certificate ?? null]);
}

function targetParts({ resource, spec }: Pick<ListedDesktop, 'resource' | 'spec'>): string[] {
  const { addr, protocol, domain, through } = spec;
  return [protocol, addr.toLowerCase(), domain.toLowerCase(), resource.owner, through];
}

/** Changes with anything that decides who may reach what, and how. */
export function desktopVersionOf({ spec }: Pick<Resource, 'spec'>): string {
  const { askPassword: _, certificate: _known, ...decides }: DesktopSpec = readStoredDesktop(spec).spec;
  return canonicalJson(decides);
}
