/** Pictures of the screens of open sessions: drawn only while somebody looks, and never more often than every two seconds. */
import { type LiveScreen, PICTURE_EVERY_MS } from '@gatehouse/contract/sessions/live-frames';
import type { Log } from '../../platform/std/log.ts';
import type { SessionScreens } from '../screens/session-screens.ts';
import type { Terminal } from '../terminal/terminal.ts';

const LOOK_EVERY_MS = 500;

type OnScreen = (screen: LiveScreen) => void;

interface Looked {
  listeners: Set<OnScreen>;
  /** Drawn up to here. */
  end: number | undefined;
  isDrawing: boolean;
  last: LiveScreen | undefined;
}

export interface Pictures {
  /** Gives back what ends the looking. The caller has decided that it may be looked at. */
  look(sid: string, onScreen: OnScreen): () => void;
  close(): void;
}

interface PictureDeps {
  terminal(sid: string): Terminal | undefined;
  screens: Pick<SessionScreens, 'rows'>;
  log: Log;
}

export function createPictures({ terminal, screens, log }: PictureDeps): Pictures {
  const looked = new Map<string, Looked>();
  /** Kept for a while after nobody looks: who looks away and back again costs nothing. */
  const drawnAt = new Map<string, number>();
  let clock: NodeJS.Timeout | undefined;

  const isTooSoon = (sid: string) =>
    performance.now() - (drawnAt.get(sid) ?? Number.NEGATIVE_INFINITY) < PICTURE_EVERY_MS;
  const tick = () => {
    for (const sid of drawnAt.keys()) if (!looked.has(sid) && !isTooSoon(sid)) drawnAt.delete(sid);
    for (const [sid, each] of looked) draw(sid, each);
  };

  const draw = (sid: string, each: Looked) => {
    const shown = terminal(sid);
    // What nobody may see now is not drawn either.
    if (!shown || each.isDrawing || shown.hosted.flow !== 'live' || isTooSoon(sid)) return;
    const { end, size } = shown.source;
    if (each.end === end && each.last?.cols === size.cols && each.last.rows === size.rows) return;
    each.end = end;
    each.isDrawing = true;
    drawnAt.set(sid, performance.now());
    void drawn(sid, each, shown)
      .catch((error: unknown) => log.warn({ error, sessionId: sid }, 'a screen cannot be drawn'))
      .finally(() => {
        each.isDrawing = false;
      });
  };

  const drawn = async (sid: string, each: Looked, shown: Terminal) => {
    const rows = await screens.rows(shown.source);
    // Frozen while it was drawn: what was printed then is not for everybody.
    if (!rows || shown.hosted.flow !== 'live') {
      each.end = undefined;
      return;
    }
    const screen: LiveScreen = { sid, ...rows };
    if (each.last?.ansi === screen.ansi && each.last.cols === screen.cols && each.last.rows === screen.rows) return;
    each.last = screen;
    for (const listener of each.listeners) listener(screen);
  };

  return {
    look(sid, onScreen) {
      const each = looked.get(sid) ?? { listeners: new Set(), end: undefined, isDrawing: false, last: undefined };
      looked.set(sid, each);
      each.listeners.add(onScreen);
      if (each.last) onScreen(each.last);
      else draw(sid, each);
      clock ??= setInterval(tick, LOOK_EVERY_MS).unref();
      return () => {
        each.listeners.delete(onScreen);
        if (each.listeners.size > 0 || looked.get(sid) !== each) return;
        looked.delete(sid);
        if (looked.size > 0) return;
        clearInterval(clock);
        clock = undefined;
      };
    },
    close() {
      clearInterval(clock);
      looked.clear();
    },
  };
}
