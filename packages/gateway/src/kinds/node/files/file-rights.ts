/** What roles say about copying files, beside whether somebody may sign in to the server at all. */

import type { AccessControl } from '../../../access/create-access.ts';
import { requiredJoins, sessionOptions } from '../../../access/session-options.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { type FileSessionFacts, NO_COPY } from './file-session.ts';

export const UNPROVEN = 'a role of yours asks for a second factor now: open the files again';

/** Roles that let somebody sign in may still forbid this. */
export function whyNoFiles(access: AccessControl, actor: Actor): string | undefined {
  const held = access.of(actor);
  if (!sessionOptions(held).fileCopy) return NO_COPY;
  if (requiredJoins(held, 'ssh').length > 0)
    return 'a role of yours lets you on servers only under the eyes of a moderator, and nobody can watch files being copied';
  return undefined;
}

export function isUnproven(access: AccessControl, actor: Actor, { mfa }: Pick<FileSessionFacts, 'mfa'>): boolean {
  return !mfa && sessionOptions(access.of(actor)).requireMfa;
}
