/** What somebody is told whose sign-in through a provider did not work: an address of ours, with a message that only a gateway with our key can have written. */

import { PAGES } from '@gatehouse/contract/console/pages';
import type { LoginFailure, loginFailureRoutes } from '@gatehouse/contract/identity/login-failure';
import { z } from 'zod';
import type { Handlers } from '../../platform/http/call.ts';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { AppError } from '../../platform/std/app-error.ts';

/** Long enough to read it twice; afterwards the page has its own words alone. */
const LIFE_MS = 10 * 60_000;
const MAX_MESSAGE_LENGTH = 500;

const PATHS: Record<LoginFailure, string> = {
  generic: PAGES.loginError.path,
  callback: PAGES.loginErrorCallback.path,
  unauthorized: PAGES.loginErrorAuth.path,
};

const written = z.object({ message: z.string(), until: z.number() });

export interface LoginFailures {
  /** Where to send the browser. Without a message the page has the words of the kind. */
  addressOf(kind: LoginFailure, message?: string): string;
  /** Undefined for whatever we did not write, wrote for another kind, or wrote too long ago. */
  read(kind: LoginFailure, said: string): string | undefined;
}

export function createLoginFailures({ secrets, now }: { secrets: SecretBox; now: () => number }): LoginFailures {
  // Never stored: the place only keeps a message of one kind from being read as one of another, or as any other secret.
  const placeOf = (kind: LoginFailure) => ({ table: 'page', id: kind, column: 'login-failure' });
  return {
    addressOf(kind, message) {
      if (!message) return PATHS[kind];
      const text = JSON.stringify({ message: message.slice(0, MAX_MESSAGE_LENGTH), until: now() + LIFE_MS });
      return `${PATHS[kind]}?said=${encodeURIComponent(secrets.seal(placeOf(kind), text))}`;
    },
    read(kind, said) {
      try {
        const { message, until } = written.parse(JSON.parse(secrets.open(placeOf(kind), said).toString('utf8')));
        return until > now() ? message : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

export function loginFailureHandlers({ read }: Pick<LoginFailures, 'read'>): Handlers<typeof loginFailureRoutes> {
  return {
    async message({ query: { kind, said } }) {
      const message = read(kind, said);
      if (message === undefined) throw new AppError('not_found', 'this gateway did not write that, or not lately');
      return { message };
    },
  };
}
