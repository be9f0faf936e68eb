/** The thing that somebody asks about, found by the names that the wire has for each kind. */
import { type diagnosticRoutes, FACTOR_PARTS } from '@gatehouse/contract/sessions/diagnostics';
import type { Body } from '@gatehouse/contract/wire/route';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { TestedKinds } from './connection-test.ts';

/** Throws `not_found`, alike for what is not there and what is not seen. */
export async function findAsked(
  kinds: TestedKinds,
  actor: Actor,
  body: Body<typeof diagnosticRoutes.mfaRequired>,
): Promise<Resource> {
  const parts: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = body;
  const asked = FACTOR_PARTS.find(({ part }) => parts[part] !== undefined);
  const name = asked && parts[asked.part]?.[asked.name];
  if (!asked || name === undefined) throw new AppError('bad_request', 'the body names nothing');
  return await kinds[asked.kind].find(actor, name);
}
