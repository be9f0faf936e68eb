/** One desktop for as long as the page shows it, and what the browser tells about network, focus and being looked at. */
import type { DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';
import { DESKTOP_SOCKET } from '@gatehouse/contract/sessions/desktop-frames';
import { type RefObject, useEffect, useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { createStore, type Store } from '../../../platform/browser/store.ts';
import { fetchCode } from '../../../platform/code/fetch-code.ts';
import { readToken } from '../../../platform/sign-in/token.ts';
import { useUser } from '../../../platform/sign-in/user.ts';
import type { Copied } from '../../../shared/desktop-picture/picture-client.ts';
import { startDownload } from '../../../shared/files/start-download.ts';
import type { Wanted } from '../session/desktop-line.ts';
import { shapeFor } from '../session/desktop-size.ts';
import {
  type ClientOptions,
  type DesktopView,
  type LiveDesktop,
  NOTHING_YET,
  startDesktop,
} from '../session/live-desktop.ts';
import { soundMemory } from '../sound/sound-memory.ts';

type Session = Extract<DesktopReply, { type: 'state' }>;

interface DesktopOptions {
  clusterId: string;
  name: string;
  wanted: Wanted;
  stage: RefObject<HTMLElement | null>;
  canvas: RefObject<HTMLCanvasElement | null>;
  onSession: (session: Session) => void;
  onCopied: (copied: Copied) => void;
}

const NOTHING: Store<DesktopView> = createStore(NOTHING_YET);

/** Nothing is begun before the page knows how much room it has. */
export function useDesktop({ clusterId, name, wanted, stage, canvas, onSession, onCopied }: DesktopOptions) {
  const browser = useBrowser();
  const { userName: user } = useUser();
  const [live, setLive] = useState<LiveDesktop>();
  useEffect(() => {
    if (!stage.current || !canvas.current) return;
    const { clientWidth: width, clientHeight: height } = stage.current;
    const started = startDesktop(wanted, shapeFor({ width, height }, window.devicePixelRatio), canvas.current, {
      openSocket: () => browser.openSocket(DESKTOP_SOCKET.replace(':clusterId', encodeURIComponent(clusterId))),
      token: () => readToken(browser.storage)?.accessToken,
      now: browser.now,
      loadClient,
      onSession,
      onCopied,
      sendBytes: browser.sendBytes,
      save: startDownload,
      openAudio: () => (typeof AudioContext === 'undefined' ? undefined : new AudioContext()),
      soundMemory: soundMemory(browser.storage, { user, clusterId, name }),
    });
    setLive(started);
    const forget = listen(started);
    return () => {
      forget();
      started.leave();
      setLive(undefined);
    };
  }, [browser, user, clusterId, name, wanted, stage, canvas, onSession, onCopied]);
  return { live, view: live?.view ?? NOTHING };
}

/** By protocol; none of it is in any other page. */
async function loadClient(protocol: Session['protocol']) {
  if (protocol === 'vnc') {
    const { startVncClient } = await fetchCode(() => import('../../../shared/desktop-picture/vnc-client.ts'));
    return startVncClient;
  }
  const file = await fetchCode(() => import('../../../shared/desktop-picture/rdp-client.ts'));
  await file.loadRdpClient();
  return (options: ClientOptions) => file.startRdpClient(options);
}

function listen(live: LiveDesktop): () => void {
  const online = () => live.check();
  const offline = () => live.offline();
  const seen = () => {
    live.hide(document.hidden);
    if (!document.hidden) live.check();
  };
  const away = (event: PageTransitionEvent) => event.persisted && live.putAway();
  window.addEventListener('online', online);
  window.addEventListener('offline', offline);
  window.addEventListener('pagehide', away);
  window.addEventListener('pageshow', online);
  document.addEventListener('visibilitychange', seen);
  return () => {
    window.removeEventListener('online', online);
    window.removeEventListener('offline', offline);
    window.removeEventListener('pagehide', away);
    window.removeEventListener('pageshow', online);
    document.removeEventListener('visibilitychange', seen);
  };
}
