/** One desktop on this page: its picture with all that is done on it, the bar, and what has to be said over both. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { TRANSFER_NAME } from '@gatehouse/contract/kinds/desktop/transfer';
import type { DesktopReply } from '@gatehouse/contract/sessions/desktop-frames';
import { Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { useStore } from '../../../platform/browser/store.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { FactorQuestion } from '../../../shared/credentials/factor-question.tsx';
import type { Copied } from '../../../shared/desktop-picture/picture-client.ts';
import { useDrop } from '../../../shared/files/use-drop.ts';
import { writeCopied } from '../clipboard/browser-clipboard.ts';
import type { KeyboardChoice } from '../keys/layout-memory.ts';
import type { Refused, Wanted } from '../session/desktop-line.ts';
import { shapeFor } from '../session/desktop-size.ts';
import { isOwnSession } from '../session/live-desktop.ts';
import styles from './desktop.module.css';
import { DesktopBar } from './desktop-bar.tsx';
import { DesktopMessages } from './desktop-messages.tsx';
import { type FitMode, firstZoom, keepZoom, scaleOf } from './fit-picture.ts';
import { KeyBar } from './key-bar.tsx';
import { canLockKeys, lockKeys } from './key-menu.tsx';
import { MiniMap } from './mini-map.tsx';
import { SessionPanel } from './session-panel.tsx';
import { whyNoTransfer } from './transfer-section.tsx';
import { useDesktop } from './use-desktop.ts';
import { useInput } from './use-input.ts';

/** After the last change of a window that is being drawn larger. */
export const RESIZE_MS = 250;

interface DesktopPageProps {
  clusterId: string;
  name: string;
  login: string;
  wanted: Wanted;
  keyboard: KeyboardChoice & { isGuessed: boolean };
  onKeyboard: (next: KeyboardChoice) => void;
  onSession: (session: Extract<DesktopReply, { type: 'state' }>) => void;
  /** It wants a password, or another one. */
  onPassword: (refused: Refused) => void;
  onAgain: () => void;
}

export function DesktopPage(props: DesktopPageProps) {
  const { clusterId, name, login, wanted, keyboard, onKeyboard, onSession, onPassword, onAgain } = props;
  const t = useTranslate();
  const { go } = useBrowser();
  const stage = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const [isPanelOpen, setPanelOpen] = useState(false);
  const [asked, setAsked] = useState(0);
  const [fit, setFit] = useState<FitMode>('fit');
  const [locksKeys, setLocksKeys] = useState(true);
  const onCopied = useCallback((copied: Copied) => void writeCopied(copied), []);
  const { live, view: store } = useDesktop({ clusterId, name, wanted, stage, canvas, onSession, onCopied });
  const view = useStore(store);
  const { isFull, toggle } = useFullScreen(locksKeys);
  const onZoom = usePictureSize({ stage, canvas, size: view.size, fit });
  const mayType = view.session?.mode === 'peer';
  const keys = useInput({
    ...{ live, stage, canvas, field, onZoom },
    mode: keyboard.mode,
    hasClipboard: mayType && view.session?.clipboard === true,
    onBar: () => setAsked((before) => before + 1),
    onTooLarge: () =>
      live?.change({ notice: { type: 'notice', kind: 'clipboard', text: t('desktop.clipboard-large') } }),
  });
  const drop = useDrop((files) => {
    // What becomes of them is told there, and why they cannot be taken.
    setPanelOpen(true);
    if (whyNoTransfer(view) === undefined) live?.transfer.put(files);
  });
  const focus = () => field.current?.focus({ preventScroll: true });
  useResize(stage, (room) => live?.resize(shapeFor(room, window.devicePixelRatio)));
  useEffect(() => {
    if (view.isDrawn) field.current?.focus({ preventScroll: true });
  }, [view.isDrawn]);
  const { line } = view;
  useEffect(() => {
    if (line.is === 'refused' && line.refused.code === 'password') onPassword(line.refused);
  }, [line, onPassword]);
  const leave = () => {
    const isOver = line.is === 'ended' || line.is === 'refused';
    if (live && !isOver && isOwnSession(view) && view.session) live.end();
    else go(pagePath('desktops', { clusterId }));
  };
  return (
    <div className={styles.page} data-panel={isPanelOpen || undefined} {...drop.handlers}>
      <DesktopBar
        {...{ clusterId, name, login, view, fit, isFull, isPanelOpen, asked }}
        keys={{
          ...{ keyboard, onKeyboard, locksKeys, onLocksKeys: setLocksKeys },
          hasLayout: view.session?.protocol !== 'vnc',
          onChord(codes) {
            keys.chord(...codes);
            focus();
          },
        }}
        onFit={setFit}
        onFull={toggle}
        onPanel={() => setPanelOpen(!isPanelOpen)}
        onKeyboard={focus}
        onUnshare={() => live?.folder.end()}
        onLeave={leave}
      />
      <main ref={stage} className={styles.stage} aria-label={t('desktop.stage')} data-line={line.is}>
        <canvas ref={canvas} className={styles.canvas} role="img" aria-label={t('desktop.picture', { name })} />
        <textarea
          ref={field}
          className={styles.field}
          aria-label={t('desktop.input')}
          autoCapitalize="off"
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          readOnly={!mayType}
        />
      </main>
      {live && (
        <DesktopMessages
          {...{ clusterId, name, live, view, onAgain }}
          onReload={() => go(window.location.pathname + window.location.search)}
        />
      )}
      {live && isPanelOpen && <SessionPanel {...{ live, view, name }} onClose={() => setPanelOpen(false)} />}
      {view.isDrawn && view.size && <MiniMap stage={stage} canvas={canvas} size={view.size} />}
      {drop.isOver && (
        <div className={styles.drop}>{t(whyNoTransfer(view) ?? 'desktop.transfer-drop', { name: TRANSFER_NAME })}</div>
      )}
      {mayType && <KeyBar keys={keys} />}
      {live && view.challenge && (
        <Suspense>
          <FactorQuestion name={name} challenge={view.challenge} onAnswer={live.answerFactor} onClose={live.giveUp} />
        </Suspense>
      )}
    </div>
  );
}

function useFullScreen(locksKeys: boolean) {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const changed = () => setFull(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', changed);
    return () => document.removeEventListener('fullscreenchange', changed);
  }, []);
  useEffect(() => {
    if (!canLockKeys()) return;
    lockKeys(isFull && locksKeys);
    return () => lockKeys(false);
  }, [isFull, locksKeys]);
  const toggle = () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void document.documentElement.requestFullscreen().catch(() => undefined);
  };
  return { isFull, toggle };
}

interface PictureSizeOptions {
  stage: React.RefObject<HTMLElement | null>;
  canvas: React.RefObject<HTMLCanvasElement | null>;
  size: { width: number; height: number } | undefined;
  fit: FitMode;
}

/** Gives what zooms. The browser draws the picture larger or smaller; its pixels stay what the host drew. */
function usePictureSize({ stage, canvas, size, fit }: PictureSizeOptions) {
  const [zoom, setZoom] = useState<number>();
  const [room, setRoom] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const place = stage.current;
    if (!place) return;
    const observer = new ResizeObserver(() => setRoom({ width: place.clientWidth, height: place.clientHeight }));
    observer.observe(place);
    return () => observer.disconnect();
  }, [stage]);
  const shown = size && (zoom ?? firstZoom(size, room));
  useLayoutEffect(() => {
    const picture = canvas.current;
    if (!picture || !size || shown === undefined) return;
    const scale = scaleOf(fit, size, room, window.devicePixelRatio, shown);
    picture.style.width = `${size.width * scale}px`;
    picture.style.height = `${size.height * scale}px`;
    picture.style.imageRendering = scale * window.devicePixelRatio >= 2 ? 'pixelated' : 'auto';
  }, [canvas, size, fit, room, shown]);
  return useCallback(
    (by: number, around: { x: number; y: number }) => {
      const place = stage.current;
      if (!place || shown === undefined) return;
      const next = keepZoom(shown * by);
      setZoom(next);
      // What is between the fingers stays there.
      const { left, top } = place.getBoundingClientRect();
      const grown = next / shown;
      place.scrollTo(
        (place.scrollLeft + around.x - left) * grown - (around.x - left),
        (place.scrollTop + around.y - top) * grown - (around.y - top),
      );
    },
    [stage, shown],
  );
}

function useResize(
  stage: React.RefObject<HTMLElement | null>,
  resize: (room: { width: number; height: number }) => void,
) {
  const latest = useRef(resize);
  useEffect(() => {
    latest.current = resize;
  });
  useEffect(() => {
    const place = stage.current;
    if (!place) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let before = `${place.clientWidth} ${place.clientHeight}`;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = place;
      const now = `${width} ${height}`;
      if (now === before || width === 0 || height === 0) return;
      before = now;
      clearTimeout(timer);
      timer = setTimeout(() => latest.current({ width, height }), RESIZE_MS);
    });
    observer.observe(place);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [stage]);
}
