/** Whether somebody may have a session with a resource, and under which terms. Everything that opens one passes here. */
import { KINDS } from '@gatehouse/contract/kinds/kinds';
import type { Action } from '../../access/action.ts';
import { ActionDenied } from '../../access/action-denied.ts';
import type { Actor } from '../../access/actor.ts';
import type { AccessControl } from '../../access/create-access.ts';
import { type SessionOptions, sessionOptions } from '../../access/session-options.ts';
import type { Denials } from '../../explain/record-denials.ts';
import { AppError } from '../../std/app-error.ts';
import type { Log } from '../../std/log.ts';
import type { Db } from '../../storage/tables.ts';
import { type JoinRule, joinRules } from './moderation.ts';
import type { SessionAudit } from './session-audit.ts';
import type { SessionAction, SessionEnd } from './session-store.ts';

export interface AdmitDeps {
  db: Db;
  access: AccessControl;
  denials: Denials;
  audit: SessionAudit;
  log: Log;
}

export interface Asked {
  actor: Actor;
  action: SessionAction;
  address: string;
  /** What the caller is shown, for looking a refusal up. */
  requestId: string;
  /** Where it was asked: `terminal`. */
  call: string;
  /** Whether it can wait for a moderator and be frozen; what cannot is refused to those who need one. */
  canWait: boolean;
  /** Asks the person for a second factor; throws why it was not taken. */
  proveFactor(): Promise<void>;
}

export interface Terms {
  options: SessionOptions;
  mfa: boolean;
  /** Who must be in it before anything passes. */
  rules: readonly JoinRule[];
}

export async function admit(deps: AdmitDeps, asked: Asked): Promise<Terms> {
  const { access } = deps;
  const { actor } = asked;
  await requireConnect(deps, asked);
  if (actor.isOwner) return { options: sessionOptions({ roles: [] }), mfa: false, rules: [] };
  const held = access.of(actor);
  const { requireMfa } = sessionOptions(held);
  const { sessionKind } = KINDS[asked.action.kind];
  if (!asked.canWait && joinRules(held, sessionKind).length > 0)
    throw new AppError(
      'denied',
      'a role of yours lets this be done only under the eyes of a moderator: use a terminal',
    );
  if (requireMfa) {
    await asked.proveFactor();
    // Proving took a while: what was allowed before may not be any more.
    await requireConnect(deps, asked);
  }
  const now = access.of(actor);
  return { options: sessionOptions(now), mfa: requireMfa, rules: joinRules(now, sessionKind) };
}

async function requireConnect(deps: AdmitDeps, asked: Asked): Promise<void> {
  const { actor, action, requestId, call } = asked;
  const refusal = whyNot(deps.access, actor, action);
  if (!refusal) return;
  const { message } = refusal;
  try {
    await deps.denials.record({ id: requestId, actor, call, message, action });
    await deps.db.transaction().execute((tx) => deps.audit.denied(tx, asked, { reason: message, requestId }));
  } catch (error) {
    deps.log.error({ error }, 'a refused session could not be kept');
  }
  throw new AppError('denied', message);
}

/** Undefined while it is allowed. The words are for the person it is refused to. */
export function whyNot(access: AccessControl, actor: Actor, action: Action): SessionEnd | undefined {
  if (access.decide(actor, action).allowed) return undefined;
  if (actor.isNarrowed) return { cause: 'denied', message: 'this token may not connect anywhere' };
  const lock = access.lockFor(actor, action);
  if (lock) {
    const { target, message } = lock;
    return {
      cause: 'locked',
      message: `the ${target.kind} '${target.name}' is locked${message ? `: ${message}` : ''}`,
    };
  }
  if (action.type === 'connect' && action.kind === 'node')
    return {
      cause: 'denied',
      message: `access denied: none of your roles lets you sign in to '${action.resource.name}' as '${action.login}'`,
    };
  if (action.type === 'connect' && action.kind === 'app')
    return {
      cause: 'denied',
      message: `access denied: none of your roles lets you open the application '${action.resource.name}'${action.awsRoleArn === undefined ? '' : ` as ${action.awsRoleArn}`}`,
    };
  return { cause: 'denied', message: new ActionDenied(action).message };
}
