/** What a test of whichever kind begins with: whether one sees it, what keeps one out beside roles, and the second factor that a role asks for. */
import type { Trace } from '@gatehouse/contract/sessions/diagnostics';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { ConnectionTest } from './connection-test.ts';
import type { Steps } from './take-steps.ts';

type TraceType = NonNullable<Trace['traceType']>;
type Connect = Parameters<AccessControl['lockFor']>[1];

interface FindStep<T> {
  type: TraceType;
  /** How the command line lists them. */
  listedBy: string;
  find(): Promise<T>;
  tell(found: T): string;
}

export function takeFind<T>(
  steps: Steps,
  test: ConnectionTest,
  { type, listedBy, find, tell }: FindStep<T>,
): Promise<T> {
  const { actor, wanted } = test;
  return steps.take({
    step: 'access',
    type,
    next: actor.isOwner
      ? `look at the name: ${listedBy}`
      : `look at the name; if it is right, an administrator sees why with: gatehouse access explain ${actor.username} ${wanted}`,
    run: find,
    tell,
  });
}

/** Where a role asks for it at every connection. */
export async function takeFactor(
  steps: Steps,
  { actor, proveFactor }: ConnectionTest,
  access: Pick<AccessControl, 'of'>,
  type: TraceType,
): Promise<void> {
  if (actor.isOwner || !sessionOptions(access.of(actor)).requireMfa) return;
  await steps.take({
    step: 'access',
    type,
    next: 'answer with one of your devices: a code of your authenticator app, or a key',
    run() {
      if (proveFactor) return proveFactor();
      throw new AppError(
        'mfa_required',
        'a role of yours asks for a second factor at every connection, and none was given',
      );
    },
    tell: () => 'you proved your second factor',
  });
}

export function mayNot(message: string, next: string): AppError {
  return new AppError('denied', message, { fields: { next } });
}

/** Throws where it is no role that is missing. */
export function requireUnlocked(
  access: Pick<AccessControl, 'lockFor'>,
  { actor }: ConnectionTest,
  action: Connect,
): void {
  if (actor.isNarrowed)
    throw mayNot('this token may not connect anywhere', "use your own sign-in, or a token with the scope 'all'");
  const lock = access.lockFor(actor, action);
  if (!lock) return;
  // Its reason is for administrators, as the dialog says that asks for it.
  throw mayNot(
    `the ${lock.target.kind} '${lock.target.name}' is locked`,
    'wait until the lock has run out, or ask who set it',
  );
}
