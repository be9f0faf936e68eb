/** Everything behind the guard: the shell, and what a failing screen shows inside it. */
import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, Outlet, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCurrentPage } from '../platform/routing/routing.tsx';
import { LeafChanges, LiveChanges } from '../platform/sign-in/live-changes.tsx';
import { SignedInOnly } from '../platform/sign-in/signed-in-only.tsx';
import { PageTitle } from './page-title.tsx';
import { SCREENS } from './screens.ts';
import { Shell } from './shell/shell.tsx';
import { ErrorCard } from './status/error-card.tsx';
import { NotFoundHere } from './status/not-found.tsx';
import { StatusPlace } from './status/status-page.tsx';
import { Waiting } from './status/waiting.tsx';

export function PrivateApp() {
  const page = useCurrentPage();
  if (page?.name === 'launch') {
    // On the way to an application nobody needs the navigation, and it would only flash by.
    return (
      <SignedInOnly waiting={<Waiting />}>
        {() => (
          <>
            <PageTitle title={SCREENS[page.name].title} params={page.params} />
            <Outlet />
          </>
        )}
      </SignedInOnly>
    );
  }
  if (page?.name === 'desktop') {
    // All of the page is the desktop; its keys go there and not to the navigation.
    return (
      <SignedInOnly waiting={<Waiting />}>
        {({ ended }) => (
          <>
            <LiveChanges onEnded={ended} />
            <PageTitle title={SCREENS[page.name].title} params={page.params} />
            <Outlet />
          </>
        )}
      </SignedInOnly>
    );
  }
  return (
    <InShell>
      <Outlet />
    </InShell>
  );
}

/** An address that leads nowhere takes nobody's navigation away. */
export function PrivateNotFound() {
  return (
    <InShell>
      <NotFoundHere />
    </InShell>
  );
}

function InShell({ children }: { children: ReactNode }) {
  return (
    <SignedInOnly waiting={<Waiting />}>
      {({ signOut, ended }) => (
        <>
          <LiveChanges onEnded={ended} />
          <LeafChanges />
          <Shell signOut={(atProvider) => void signOut('asked', atProvider)}>{children}</Shell>
        </>
      )}
    </SignedInOnly>
  );
}

export function PrivateError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  const retry = () => {
    // Without this the failed query would throw its old error again.
    queries.reset();
    reset();
    void router.invalidate();
  };
  return (
    <StatusPlace>
      <ErrorCard error={error} onRetry={retry} />
    </StatusPlace>
  );
}
