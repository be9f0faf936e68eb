/** What somebody hears whom roles keep from a login: which they may use there, and by which id an administrator finds out why. */
import { MACHINE_KIND } from '@gatehouse/contract/kinds/kinds';
import { principalsFor } from '../../access/principals-for.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Caller } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { connectAs } from '../../sessions/host/as-login.ts';
import type { SshDoorDeps } from './door-deps.ts';

/** More do not fit a line. */
const MAX_LOGINS = 8;

interface Attempt {
  caller: Caller;
  resource: Resource;
  login: string;
  /** Under which a refusal is kept. */
  requestId: string;
}

export async function sayingWhy<T>(
  { access, clusterName }: Pick<SshDoorDeps, 'access' | 'clusterName'>,
  { caller, resource, login, requestId }: Attempt,
  open: () => Promise<T>,
): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'denied')) throw error;
    const actor = await caller.now();
    // Nothing else is kept under that id.
    if (access.decide(actor, connectAs(MACHINE_KIND, resource, login)).allowed) throw error;
    const logins = principalsFor(access.of(actor), MACHINE_KIND, resource.labels, 'logins');
    const others = logins.includes(login) || logins.includes('*') ? [] : logins;
    const more = others.length > MAX_LOGINS ? ', …' : '';
    const instead = others.length === 0 ? '' : `; you may: ${others.slice(0, MAX_LOGINS).join(', ')}${more}`;
    const there = actor.username.includes('/') ? ` --cluster ${clusterName}` : '';
    const why = `why: gatehouse access denial ${requestId}${there}`;
    throw new AppError('denied', `${error.message}${instead} (${why})`, { cause: error });
  }
}
