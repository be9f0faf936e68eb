/** Tokens of the method `iam`: what may be asked for, and the name by which the same request finds the same token again. */
import { createHash } from 'node:crypto';
import { JOIN_METHODS, type JoinMethod } from '@gatehouse/contract/reach/join-tokens/iam';
import type { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import type { AllowRule } from '@gatehouse/contract/reach/join-tokens/token-facts';
import type { Body } from '@gatehouse/contract/wire/route';
import { holdNames } from '../../../inventory/resource-store.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import type { NamedThing } from '../install/installable.ts';
import { deleteJoinToken, findJoinToken, type StoredJoinToken } from './join-token-store.ts';

type TokenBody = Body<typeof joinTokenRoutes.create>;

/** Throws what cannot be had with the method. */
export function methodOf({ join_method, allow, hosts = [] }: TokenBody): JoinMethod {
  const method = JOIN_METHODS.find((each) => each === join_method);
  if (method === undefined)
    throw new AppError(
      'bad_request',
      `the join method '${join_method}' is not supported: machines join this gateway with the method 'token' or 'iam'`,
    );
  if (method === 'token') return method;
  if (!allow?.length)
    throw new AppError(
      'bad_request',
      "a token of the method 'iam' needs 'allow': the AWS accounts whose machines join",
    );
  // What is not looked at must not stand there as if it were.
  if (allow.some(({ aws_role, aws_regions }) => aws_role !== undefined || aws_regions !== undefined))
    throw new AppError(
      'bad_request',
      "the method 'iam' tells machines apart by aws_account and aws_arn alone: aws_role and aws_regions are of another",
    );
  if (hosts.length > 0)
    throw new AppError('bad_request', "database servers are signed for whoever shows a secret: use the method 'token'");
  return method;
}

/** The same for whoever asks for the same: it is no secret, and may stand in images of machines. */
export function iamNameFor(
  { roles, allow, labels, offers, group, uses, ttlSeconds, ...body }: TokenBody,
  named: NamedThing | undefined,
): string {
  const matchers = body.suggested_agent_matcher_labels;
  const asked = { roles: roles.toSorted(), allow: (allow ?? []).map(ruleText).sort(), group, uses, ttlSeconds };
  const digest = createHash('sha256')
    .update(stable({ ...asked, labels, offers, matchers, named }))
    .digest('hex');
  return `iam-${digest.slice(0, 32)}`;
}

/** Still good: given again as it is. One that has expired or is used up makes room for another. Of two who ask at once, also two gateways, the second finds what the first makes. */
export async function findAgain(tx: Tx, name: string, now: number): Promise<StoredJoinToken | undefined> {
  await holdNames(tx);
  const found = await findJoinToken(tx, name);
  if (!found) return undefined;
  const { id, expires, maxUses, uses } = found;
  if (expires > now && (maxUses === undefined || uses < maxUses)) return found;
  await deleteJoinToken(tx, id);
  return undefined;
}

export function ruleText({ aws_account, aws_arn }: AllowRule): string {
  return aws_arn === undefined ? aws_account : `${aws_account} ${aws_arn}`;
}

/** Keys in one order, whoever wrote them. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
