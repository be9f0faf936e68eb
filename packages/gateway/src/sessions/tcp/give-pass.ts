/** Takes a second factor for what programs dial, and gives the pass that stands for it. */
import type { FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Exchange } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { MfaPasses, PassHolder } from './mfa-passes.ts';

export interface GivePassDeps {
  access: AccessControl;
  identity: Pick<Identity, 'proveAgain'>;
  passes: MfaPasses;
}

/** Throws where a role wants one and none was sent: clients of the reference send none, and that weakens no role. */
export async function proveFactor(
  { identity }: Pick<GivePassDeps, 'identity'>,
  actor: Actor,
  exchange: Exchange,
  factor: FactorAnswer | undefined,
): Promise<void> {
  if (!factor) throw new AppError('mfa_required', 'a role of yours asks for a second factor for each session');
  await identity.proveAgain(actor, { code: factor.code, key: factor.key }, exchange);
}

/** Empty where no role asks for a factor. */
export async function givePass(
  deps: GivePassDeps,
  { actor, exchange }: { actor: Actor; exchange: Exchange },
  target: Omit<PassHolder, 'signIn'>,
  factor: FactorAnswer | undefined,
): Promise<{ pass: string }> {
  if (actor.isOwner || !sessionOptions(deps.access.of(actor)).requireMfa) return { pass: '' };
  await proveFactor(deps, actor, exchange, factor);
  return { pass: deps.passes.give({ signIn: actor.signInId, ...target }) };
}
