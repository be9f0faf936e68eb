/** What an application that is entered may not be: named as another, found at another's host, or the gateway itself. */
import { isIP } from 'node:net';
import { type AppAddress, dialAddress, parseAppUri } from '@gatehouse/contract/apps/app-spec';
import { parseTemplate, TemplateError } from '../access/match/template.ts';
import { refuseHiddenLabels } from '../inventory/hidden-labels.ts';
import { holdNames } from '../inventory/resource-store.ts';
import { AppError } from '../std/app-error.ts';
import { isForbidden, isThisMachine } from '../std/dial-guard.ts';
import type { Tx } from '../storage/tables.ts';
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
  if (address && isIP(address.host) && isForbidden(address.host))
    throw new AppError('bad_request', `${address.host} gives out credentials of a cloud: no application leads there`);
  if (address && app.through.length === 0 && isGateway(address, hosts))
    throw new AppError('bad_request', `${dialAddress(address)} is the gateway itself: no application leads there`);
  const { publicAddr } = app;
  const own = hosts.hostOf({ name: app.name, publicAddr: '' });
  if (publicAddr !== '' && hosts.isUnderBase(publicAddr) && publicAddr !== own)
    throw new AppError(
      'conflict',
      `the host '${publicAddr}' stands under the gateway's own name: an application called '${app.name}' has '${own}' there`,
    );
  for (const { name, value } of app.rewrite.headers) checkTemplate(name, value);
}

/** As far as its address tells; what a name leads to is looked at when it is dialled. */
function isGateway({ host, port }: AppAddress, hosts: AppHosts): boolean {
  const { protocol, port: given } = new URL(hosts.console());
  const own = Number(given || (protocol === 'https:' ? 443 : 80));
  return port === own && (hosts.isUnderBase(host) || (isIP(host) !== 0 && isThisMachine(host)));
}

function checkTemplate(name: string, value: string): void {
  if (/\{\{\s*internal\.(jwt|username)\s*\}\}/.test(value)) return;
  try {
    parseTemplate(value);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new AppError('bad_request', `the header '${name}' ${error.message}`);
  }
}

/** A name and a host are one application's alone; until the transaction ends nobody else takes them. */
export async function refuseTaken(
  tx: Tx,
  { cluster, name, publicAddr, isNew }: { cluster: string; name: string; publicAddr: string; isNew: boolean },
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
  if (publicAddr === '') return;
  const found = await apps().where('third_key', '=', publicAddr).where('id', '!=', name).executeTakeFirst();
  if (found)
    throw new AppError(
      'conflict',
      `the host '${publicAddr}' belongs to the application '${found.name}': choose another`,
    );
}
