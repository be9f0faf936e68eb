/** Pictures of the screens of open sessions: drawn only while somebody looks, and never more often than every two seconds, or five for desktops. */
import {
  DESKTOP_PICTURE_EVERY_MS,
  type LivePicture,
  type LiveScreen,
  PICTURE_EVERY_MS,
} from '@gatehouse/contract/sessions/live-frames';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { Log } from '../../platform/std/log.ts';
import type { SessionScreens } from '../screens/session-screens.ts';
import type { Terminal } from '../terminal/terminal.ts';

const LOOK_EVERY_MS = 500;

export type LiveLook = ({ type: 'screen' } & LiveScreen) | ({ type: 'picture' } & LivePicture);
type OnLook = (look: LiveLook) => void;

/** A desktop, as far as it is looked at from a list. */
export interface LookedDesktop {
  isLive(): boolean;
  /** Another one when something may have been drawn since. */
  drawn(): number;
  size: { width: number; height: number };
  /** PNG. */
  picture(): Promise<Buffer>;
}

interface Looked {
  listeners: Set<OnLook>;
  /** Drawn up to here. */
  end: number | undefined;
  isDrawing: boolean;
  last: LiveLook | undefined;
}

export interface Pictures {
  /** Gives back what ends the looking. The caller has decided that it may be looked at. */
  look(sid: string, onLook: OnLook): () => void;
  /** Where desktops are found, once there are any. */
  showDesktops(find: (sid: string) => LookedDesktop | undefined): void;
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
  let desktop: (sid: string) => LookedDesktop | undefined = () => undefined;
  let isDrawingDesktop = false;

  const sinceDrawn = (sid: string) => performance.now() - (drawnAt.get(sid) ?? Number.NEGATIVE_INFINITY);
  const isTooSoon = (sid: string) => sinceDrawn(sid) < PICTURE_EVERY_MS;
  const tick = () => {
    for (const sid of drawnAt.keys())
      if (!looked.has(sid) && sinceDrawn(sid) >= DESKTOP_PICTURE_EVERY_MS) drawnAt.delete(sid);
    for (const [sid, each] of looked) draw(sid, each);
    drawDesktop();
  };

  /** One at a time, whose turn is longest ago: each costs far more than a terminal. */
  const drawDesktop = () => {
    if (isDrawingDesktop) return;
    const due = [...looked].flatMap(([sid, each]) => {
      const shown = desktop(sid);
      const isDue = shown?.isLive() && each.end !== shown.drawn() && sinceDrawn(sid) >= DESKTOP_PICTURE_EVERY_MS;
      return shown && isDue ? [{ sid, each, shown, since: sinceDrawn(sid) }] : [];
    });
    const next = due.reduce<(typeof due)[number] | undefined>(
      (first, other) => (first && first.since >= other.since ? first : other),
      undefined,
    );
    if (!next) return;
    const { sid, each, shown } = next;
    isDrawingDesktop = true;
    each.end = shown.drawn();
    drawnAt.set(sid, performance.now());
    void drawnDesktop(sid, each, shown)
      .catch((error: unknown) => {
        // It may draw too fast to be followed: the next turn may do better.
        each.end = undefined;
        log.debug({ reason: errorMessage(error), sessionId: sid }, 'a desktop is not shown');
      })
      .finally(() => {
        isDrawingDesktop = false;
      });
  };

  const drawnDesktop = async (sid: string, each: Looked, shown: LookedDesktop) => {
    const { width, height } = shown.size;
    const png = (await shown.picture()).toString('base64');
    // Frozen while it was drawn: what was on it then is not for everybody.
    if (shown.isLive()) show(each, { type: 'picture', sid, width, height, png });
    else each.end = undefined;
  };

  const show = (each: Looked, look: LiveLook) => {
    each.last = look;
    for (const listener of each.listeners) listener(look);
  };

  const draw = (sid: string, each: Looked) => {
    const shown = terminal(sid);
    // What nobody may see now is not drawn either.
    if (!shown || each.isDrawing || shown.hosted.flow !== 'live' || isTooSoon(sid)) return;
    const { end, size } = shown.source;
    const last = each.last?.type === 'screen' ? each.last : undefined;
    if (each.end === end && last?.cols === size.cols && last.rows === size.rows) return;
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
    const last = each.last?.type === 'screen' ? each.last : undefined;
    if (last?.ansi === rows.ansi && last.cols === rows.cols && last.rows === rows.rows) return;
    show(each, { type: 'screen', sid, ...rows });
  };

  return {
    showDesktops(find) {
      desktop = find;
    },
    look(sid, onLook) {
      const each = looked.get(sid) ?? { listeners: new Set(), end: undefined, isDrawing: false, last: undefined };
      looked.set(sid, each);
      each.listeners.add(onLook);
      if (each.last) onLook(each.last);
      else {
        draw(sid, each);
        drawDesktop();
      }
      clock ??= setInterval(tick, LOOK_EVERY_MS).unref();
      return () => {
        each.listeners.delete(onLook);
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
