/** The guard of everything private: renders nothing of it until the sign-in is sure, and keeps it alive from then on. */
import { PAGES } from '@gatehouse/contract/console/pages';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { CallError } from '@gatehouse/contract/wire/client';
import { type ReactNode, useLayoutEffect, useMemo, useState } from 'react';
import { apiOver } from '../api/api.ts';
import { type BrowserServices, useBrowser } from '../browser/browser-services.tsx';
import { markEnded } from './ended-mark.ts';
import { loginAddress } from './login-address.ts';
import { restedMs } from './rested.ts';
import { createSignIn, type Leaving, type SignIn } from './sign-in.ts';
import { readToken } from './token.ts';

interface SignedInOnlyProps {
  /** Shown while it is not sure yet. */
  waiting: ReactNode;
  children: (signIn: Pick<SignIn, 'signOut' | 'ended'>) => ReactNode;
}

export function SignedInOnly({ waiting, children }: SignedInOnlyProps) {
  const browser = useBrowser();
  const signIn = useMemo(() => signInOver(browser), [browser]);
  const [isSure, setSure] = useState(false);

  // Before the first paint: drawing an empty page first would hold everything private back by that long.
  useLayoutEffect(() => {
    let mounted = true;
    void signIn.ensure().then((ensured) => mounted && setSure(ensured));
    const forget = browser.onNotSignedIn(signIn.refused);
    return () => {
      mounted = false;
      forget();
      signIn.stop();
    };
  }, [browser, signIn]);

  return isSure ? children(signIn) : waiting;
}

const AWAY = [502, 503];

function signInOver({ send, storage, isTakenOver, now, go }: BrowserServices): SignIn {
  const api = apiOver(send);
  return createSignIn({
    storage,
    isTakenOver,
    now,
    window,
    renew: () => api(signInRoutes.renew, { body: {} }),
    poll: () => api(signInRoutes.status, { query: { idleMs: restedMs(storage, now()) } }),
    endOnGateway: () => {
      markEnded(document, readToken(storage)?.user);
      return api(signInRoutes.signOut, {}, AbortSignal.timeout(5000));
    },
    isPassing: (error) => !(error instanceof CallError) || AWAY.includes(error.status),
    isRefusal: (error) => error instanceof CallError && error.status === 403,
    leave: (why, atProvider) => go(atProvider ?? addressAfter(why)),
  });
}

function addressAfter(why: Leaving): string {
  if (why === 'asked') return loginAddress();
  // Not here: a page such as a terminal begins something when it is opened, and it would be somebody else who does.
  if (why === 'taken-over') return PAGES.root.path;
  const here = window.location.pathname + window.location.search;
  return loginAddress(here, why === 'not-signed-in' ? undefined : why);
}
