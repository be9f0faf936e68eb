/** What an application that is entered may not be: named as another, found at another's host, or the gateway itself. */
import { isIP } from 'node:net';
import { type AppAddress, dialAddress, parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import { whyForbidden } from '@gatehouse/tunnel/dial/forbidden-addresses';
import { wrongWithHeaders } from '../../access/header-templates.ts';
import { heldFor } from '../../inventory/held-names.ts';
import { refuseHiddenLabels } from '../../inventory/hidden-labels.ts';
import { holdNames } from '../../inventory/resource-store.ts';
import { readAddresses } from '../../inventory/same-address.ts';
import { isLoopback } from '../../platform/config/address.ts';
import type { GatewayConfig } from '../../platform/config/resolve.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { isThisMachine } from '../../reach/direct/this-machine.ts';
import type { AppHosts } from './app-hosts.ts';

export interface EnteredApp {
  name: string;
  labels: Record<string, string>;
  uri: string;
  publicAddr: string;
  /** Agents that reach it; none: the gateway dials. */
  through: readonly string[];
  rewrite: { headers: readonly { name: string; value: string }[] };
}

/** Without asking the store. */
export function refuseBadApp(app: EnteredApp, hosts: AppHosts): void {
  refuseHiddenLabels(app.labels);
  const address = parseAppUri(app.uri);
  const why = address && isIP(address.host) ? whyForbidden(address.host) : undefined;
  if (address && why !== undefined)
    throw new AppError('bad_request', `${address.host} ${why}: no application leads there`);
  if (address?.kube && app.through.length > 0)
    throw new AppError('bad_request', 'which agents reach it is said by the Kubernetes cluster: name none here');
  if (address && !address.kube && app.through.length === 0 && isGateway(address, hosts))
    throw new AppError('bad_request', `${dialAddress(address)} is the gateway itself: no application leads there`);
  const wrong = wrongHost(app, hosts);
  if (wrong !== undefined) throw new AppError('conflict', wrong);
  const badHeader = wrongWithHeaders(app.rewrite.headers);
  if (badHeader !== undefined) throw new AppError('bad_request', badHeader);
}

/** Names under the gateway's are given by the names of applications, and the gateway's own is nobody's, entered or offered. */
export function wrongHost(
  { name, publicAddr }: Pick<EnteredApp, 'name' | 'publicAddr'>,
  hosts: Pick<AppHosts, 'hostOf' | 'isUnderBase'>,
): string | undefined {
  const own = hosts.hostOf({ name, publicAddr: '' });
  if (publicAddr === '' || publicAddr === own || !hosts.isUnderBase(publicAddr)) return undefined;
  return `the host '${publicAddr}' stands under the gateway's own name: an application called '${name}' has '${own}' there`;
}

/**
 * A gateway that was given no name answers to every name that leads to it: an agent that names a host could name the one people
 * open the console by, and would have it from then on.
 */
export function wrongWithoutName(
  { publicAddr }: Pick<EnteredApp, 'publicAddr'>,
  { publicAddr: own, listen, proxy }: Pick<GatewayConfig, 'publicAddr' | 'listen' | 'proxy'>,
): string | undefined {
  const isKnownByName = own !== undefined || (isLoopback(listen.host) && !proxy.behind);
  if (publicAddr === '' || isKnownByName) return undefined;
  return `the gateway has no name of its own, so '${publicAddr}' may be what people open it by: set its public address first`;
}

/** As far as its address tells; what a name leads to is looked at when it is dialled. */
function isGateway({ host, port }: AppAddress, hosts: AppHosts): boolean {
  const { protocol, port: given } = new URL(hosts.console());
  const own = Number(given || (protocol === 'https:' ? 443 : 80));
  return port === own && (hosts.isUnderBase(host) || (isIP(host) !== 0 && isThisMachine(host)));
}

/**
 * A name and a host are one application's alone; until the transaction ends nobody else takes them. Whose they are is told to
 * whoever may know that application.
 */
export async function refuseTaken(
  tx: Tx,
  {
    cluster,
    name,
    publicAddr,
    uri,
    isNew,
  }: { cluster: string; name: string; publicAddr: string; uri: string; isNew: boolean },
  isKnown: (tx: Tx, app: string) => Promise<boolean>,
): Promise<void> {
  await holdNames(tx);
  const apps = () =>
    tx.selectFrom('resource').select(['name', 'owner']).where('cluster', '=', cluster).where('kind', '=', 'app');
  const named = isNew ? await apps().where('id', '=', name).executeTakeFirst() : undefined;
  if (named)
    throw new AppError(
      'conflict',
      named.owner === ''
        ? `there is an application '${name}' already: choose another name, or change that one`
        : `the name '${name}' belongs to an application that an agent offers: choose another name`,
    );
  for (const held of await heldFor(tx, { cluster, kind: 'app' }, { id: name, host: publicAddr })) {
    if (held.what === 'name' && !isNew) continue;
    if (held.resource !== name && !(await isKnown(tx, held.resource))) throw taken('host', held.name);
    throw new AppError(
      'conflict',
      `the ${held.what} '${held.name}' belongs to agents that offer or offered the application '${held.resource}': choose another, or free it first with: gatehouse apps free ${held.resource}`,
    );
  }
  const atAddress = (await readAddresses(tx, { cluster, kind: 'app' })).other({ uri }, { id: name, holder: '' })?.id;
  if (atAddress !== undefined && !(await isKnown(tx, atAddress))) throw taken('address', uri);
  if (atAddress !== undefined)
    throw new AppError(
      'conflict',
      `agents offer '${uri}' as the application '${atAddress}': identity tokens for the one would be good for the other`,
    );
  if (publicAddr === '') return;
  const found = await apps().where('third_key', '=', publicAddr).where('id', '!=', name).executeTakeFirst();
  if (found && !(await isKnown(tx, found.name))) throw taken('host', publicAddr);
  if (found)
    throw new AppError(
      'conflict',
      `the host '${publicAddr}' belongs to the application '${found.name}': choose another`,
    );
}

function taken(what: 'host' | 'address', which: string): AppError {
  return new AppError('conflict', `the ${what} '${which}' is taken: choose another`);
}
