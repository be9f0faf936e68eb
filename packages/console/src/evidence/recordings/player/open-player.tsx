/** A recording that plays: header, screen, timeline, controls and the panel beside them, worked by keys and by hand. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { classNames } from '@gatehouse/design/class-names';
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { usePreference } from '../../../platform/browser/preferences.ts';
import { SPEEDS } from '../engine/playback.ts';
import { builtRenderer } from '../renderers.ts';
import type { Scale } from '../screen/replay-screen.ts';
import { Controls } from './controls.tsx';
import { PlayerHeader } from './player-header.tsx';
import { type PlayerKey, usePlayerKeys } from './player-keys.ts';
import styles from './player-screen.module.css';
import type { PlayerActions, PlayerAddress } from './player-search-params.ts';
import { SidePanel } from './side/side-panel.tsx';
import { type Find, useFind } from './side/use-find.ts';
import type { Verification } from './side/use-verification.ts';
import { Stage } from './stage.tsx';
import { TerminalTimeline } from './timeline/terminal-timeline.tsx';
import { type Player, useBeginning, usePlayer } from './use-player.ts';

interface OpenPlayerProps {
  clusterId: string;
  sid: string;
  /** Not known yet: the first picture does not wait for it. */
  details: RecordingDetails | undefined;
  verification: Verification;
  address: PlayerAddress;
  actions: PlayerActions;
}

const NARROW = '(max-width: 720px)';
const ROOM = '(min-width: 1101px)';

export function OpenPlayer({ clusterId, sid, details, verification, address, actions }: OpenPlayerProps) {
  const root = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState<Scale>(() => (window.matchMedia(NARROW).matches ? 'readable' : 'whole'));
  const renderer = builtRenderer(details?.kind ?? address.type);
  const { player, selected, size } = usePlayer({ place, clusterId, sid, renderer, startMs: address.startMs, scale });
  const [hadSecond] = useState(address.startMs !== undefined);
  useBeginning(player, details, hadSecond);
  useKeptSecond(player, address.startMs, actions.keepSecond);
  const find = useFind({ clusterId, sid, text: address.find, player });
  const [isFull, toggleFull] = useFullScreen(root);
  const onKey = useActs({ player, details, find, root, actions, toggleFull });
  const [shortcuts] = usePreference('shortcuts');
  usePlayerKeys(onKey, { letters: shortcuts !== 'off', enabled: details !== undefined });
  return (
    <div
      ref={root}
      className={classNames(styles.player, isFull && styles.full)}
      data-player=""
      data-panel={address.panel}
    >
      <PlayerHeader
        clusterId={clusterId}
        sid={sid}
        details={details}
        playback={player?.playback}
        verification={verification}
        onPanel={() => actions.openPanel(isPanelShown(address) ? 'closed' : 'open')}
      />
      <Stage place={place} player={player} details={details} selected={selected} size={size} scale={scale} />
      {player && details && (
        <>
          <SidePanel
            address={address}
            actions={actions}
            playback={player.playback}
            details={details}
            find={find}
            verification={verification}
          />
          <footer className={styles.foot}>
            <TerminalTimeline playback={player.playback} details={details} hits={find.hits} clusterId={clusterId} />
            <Controls
              playback={player.playback}
              details={details}
              isFull={isFull}
              scale={scale}
              onScale={setScale}
              onKey={onKey}
            />
          </footer>
        </>
      )}
    </div>
  );
}

function isPanelShown({ panel }: PlayerAddress): boolean {
  return panel === undefined ? window.matchMedia(ROOM).matches : panel === 'open';
}

const KEEP_MS = 300;

/** While nothing plays the address names what is seen; whoever changes it, or goes back, is led there. */
function useKeptSecond(player: Player | undefined, addressMs: number | undefined, keep: (ms: number) => void): void {
  const kept = useRef(addressMs);
  useEffect(() => {
    if (!player) return;
    const { view, position } = player.playback;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (view.get().isPlaying || !view.get().isShown) return;
      timer = setTimeout(() => {
        const ms = Math.round(position.get());
        if (ms === kept.current) return;
        kept.current = ms;
        keep(ms);
      }, KEEP_MS);
    };
    const stops = [view.subscribe(look), position.subscribe(look)];
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }, [player, keep]);
  useEffect(() => {
    if (!player || addressMs === undefined || addressMs === kept.current) return;
    kept.current = addressMs;
    player.playback.pause();
    player.playback.seek(addressMs);
  }, [player, addressMs]);
}

function useFullScreen(root: RefObject<HTMLElement | null>): [boolean, () => void] {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const look = () => setFull(document.fullscreenElement !== null && document.fullscreenElement === root.current);
    document.addEventListener('fullscreenchange', look);
    return () => document.removeEventListener('fullscreenchange', look);
  }, [root]);
  const toggle = useCallback(() => {
    if (document.fullscreenElement) void document.exitFullscreen();
    // A browser that refuses, such as one on a phone, leaves everything as it is.
    else void root.current?.requestFullscreen?.().catch(() => undefined);
  }, [root]);
  return [isFull, toggle];
}

interface Acting {
  player: Player | undefined;
  details: RecordingDetails | undefined;
  find: Find;
  root: RefObject<HTMLElement | null>;
  actions: PlayerActions;
  toggleFull: () => void;
}

const STEP_MS = 5_000;
const FAR_MS = 30_000;
/** So soon after a command, "previous" means the one before it. */
const SAME_MS = 1_000;

function useActs({ player, details, find, root, actions, toggleFull }: Acting): (key: PlayerKey) => void {
  return useCallback(
    (key) => {
      if (!player || !details) return;
      const { playback } = player;
      const at = playback.position.get();
      const commands = details.markers.filter(({ type }) => type === 'command').map(({ ms }) => ms);
      const speedAt = SPEEDS.indexOf(playback.view.get().speed);
      const acts: Record<PlayerKey, () => void> = {
        toggle: playback.toggle,
        back: () => playback.seek(at - STEP_MS),
        on: () => playback.seek(at + STEP_MS),
        'far-back': () => playback.seek(at - FAR_MS),
        'far-on': () => playback.seek(at + FAR_MS),
        'step-back': playback.stepBack,
        'step-forward': () => void playback.stepForward(),
        'previous-command': () => playback.seek(commands.findLast((ms) => ms < at - SAME_MS) ?? 0),
        'next-command': () => playback.seek(commands.find((ms) => ms > at) ?? playback.endNow()),
        slower: () => playback.setSpeed(SPEEDS[Math.max(0, speedAt - 1)] ?? 1),
        faster: () => playback.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, speedAt + 1)] ?? 1),
        idle: () => playback.setSkipsIdle(!playback.view.get().skipsIdle),
        find: () => focusFind(root, actions),
        'next-hit': () => find.step(1),
        'previous-hit': () => find.step(-1),
        start: () => playback.seek(0),
        end: () => (playback.view.get().isLive ? playback.goLive() : playback.seek(playback.endNow())),
        'full-screen': toggleFull,
      };
      acts[key]();
    },
    [player, details, find, root, actions, toggleFull],
  );
}

function focusFind(root: RefObject<HTMLElement | null>, actions: PlayerActions): void {
  const focus = () => root.current?.querySelector<HTMLInputElement>('input[type=search]')?.focus();
  actions.openPanel('open');
  // At once where it is open already: till the next frame, what is typed would be taken for the player's keys.
  focus();
  // And after the panel has opened, where it was closed.
  requestAnimationFrame(focus);
}
