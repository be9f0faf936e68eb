/** One desktop as its address names it: who is there is asked first, then it is opened, or joined where the address says so. */
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { PARTICIPANT_MODES, type ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { Spinner } from '@gatehouse/design/spinner';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { type SearchTexts, usePageParams, useSearch } from '../../platform/routing/routing.tsx';
import { useUser } from '../../platform/sign-in/user.ts';
import { wasLoadedToDraw } from '../../shared/desktop-picture/whole-page.ts';
import { useKeyboard } from './keys/layout-memory.ts';
import styles from './page/before-desktop.module.css';
import { PasswordForm, SomebodyThere } from './page/before-desktop.tsx';
import { DesktopPage } from './page/desktop-page.tsx';
import type { Refused, Wanted } from './session/desktop-line.ts';

/** A session that is joined stands in the address: whoever loads it again is in it again. */
const joinedIn = ({ sid, mode }: SearchTexts) => ({ sid, mode: PARTICIPANT_MODES.find((known) => known === mode) });

export function SessionScreen() {
  const { go } = useBrowser();
  const [isWhole] = useState(wasLoadedToDraw);
  useEffect(() => {
    if (!isWhole) go(window.location.pathname + window.location.search);
  }, [isWhole, go]);
  const { clusterId, desktopName, username } = usePageParams('desktop');
  if (!isWhole) return <Spinner />;
  return <OneDesktop key={`${clusterId} ${desktopName} ${username}`} {...{ clusterId, desktopName, username }} />;
}

interface OneDesktopProps {
  clusterId: string;
  desktopName: string;
  username: string;
}

/** What was asked last: each time it is asked anew, another page of the desktop begins. */
type Asking = { is: 'first' } | { is: 'new'; password?: string } | { is: 'password'; message: string };

function OneDesktop({ clusterId, desktopName: name, username: login }: OneDesktopProps) {
  const { userName } = useUser();
  const [joined, setJoined] = useSearch(joinedIn);
  const [first] = useState(joined);
  const [asking, setAsking] = useState<Asking>({ is: 'first' });
  const [turn, setTurn] = useState(0);
  const [join, setJoin] = useState<{ sid: string; mode?: ParticipantMode } | undefined>(
    first.sid === undefined ? undefined : { sid: first.sid, ...(first.mode ? { mode: first.mode } : {}) },
  );
  const [keyboard, setKeyboard] = useKeyboard(name);
  const layout = keyboard?.layout;
  const others = useOthers(clusterId, name, join === undefined && asking.is === 'first');
  const onSession = useCallback(
    ({ sid, mode }: { sid: string; mode: ParticipantMode }) =>
      void setJoined({ sid, mode: mode === 'peer' && join?.mode === undefined ? undefined : mode }),
    [setJoined, join],
  );
  const onPassword = useCallback(({ message }: Refused) => setAsking({ is: 'password', message }), []);
  const begin = (password?: string) => {
    setJoin(undefined);
    setAsking({ is: 'new', ...(password === undefined ? {} : { password }) });
    setTurn((before) => before + 1);
  };
  const again = () => {
    void setJoined({ sid: undefined, mode: undefined });
    begin();
  };
  const password = asking.is === 'new' ? asking.password : undefined;
  // The layout is what it was when this began: another one is for the next time.
  const [begunWith, setBegunWith] = useState<number>();
  if (layout !== undefined && begunWith === undefined) setBegunWith(layout);
  const wanted = useMemo<Wanted | undefined>(() => {
    // Each turn is a session of its own.
    void turn;
    if (join) return { attach: join };
    if (begunWith === undefined) return undefined;
    const request = crypto.randomUUID();
    const opening = { desktop: name, login, keyboard: begunWith, request };
    return { open: password === undefined ? opening : { ...opening, password } };
  }, [join, name, login, begunWith, password, turn]);

  if (asking.is === 'password')
    return <PasswordForm {...{ clusterId, name, login }} message={asking.message} onPassword={begin} />;
  if (!keyboard || !wanted || others === undefined)
    return (
      <div className={styles.before}>
        <Spinner />
      </div>
    );
  if (others.length > 0)
    return (
      <SomebodyThere
        {...{ clusterId, name, login, userName, sessions: others }}
        onJoin={(sid, mode) => setJoin(mode === undefined ? { sid } : { sid, mode })}
        onNew={() => begin()}
      />
    );
  return (
    <DesktopPage
      key={turn}
      {...{ clusterId, name, login, wanted, keyboard, onSession, onPassword }}
      onKeyboard={setKeyboard}
      onAgain={again}
    />
  );
}

/** Sessions on this desktop that one may know of; none while nobody wants to know, undefined until they are known. */
function useOthers(clusterId: string, name: string, isWanted: boolean) {
  const api = useApi();
  const found = useQuery({
    queryKey: ['desktop-sessions', clusterId, name],
    queryFn: ({ signal }) => api(sessionRoutes.list, { params: { clusterId } }, signal),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  if (!isWanted || found.isError) return [];
  return found.data?.sessions.filter(
    ({ resource_kind, resource_name }) => resource_kind === 'desktop' && resource_name === name,
  );
}
