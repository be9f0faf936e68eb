/**
 * What is on a desktop by VNC, for who looks at a list: drawn when it is asked for, from what came since the host last drew all of it.
 * Pages need nothing of it: each is greeted by itself.
 */
import { AppError } from '../../platform/std/app-error.ts';
import type { DesktopDecoder } from '../../sessions/desktop/decoder/desktop-decoder.ts';
import type { Latecomers } from './desktop-session.ts';
import type { PagedLink } from './engine/desktop-link.ts';

/** An animation fills it within seconds: then the next whole picture is waited for, for a minute at most. */
const MAX_KEPT_BYTES = 2 * 1024 * 1024;
/** Held beside its bytes, about, for each piece: there may be one for every byte. */
const HOLDING_BYTES = 128;
/** Of what lists show. */
const SHOWN_WIDTH = 640;

export function createVncLook(link: PagedLink, decoder: Pick<DesktopDecoder, 'open'>): Latecomers {
  let kept: Buffer[] = [];
  let bytes = 0;
  /** Not, where too much has come since. */
  let isWhole = false;
  const begin = () => {
    kept = [link.greeting()];
    bytes = 0;
    isWhole = true;
  };
  const lose = () => {
    kept = [];
    isWhole = false;
  };
  begin();
  link.onBeginning(begin);
  link.onPicture((_, recorded) => {
    if (!isWhole || !recorded) return;
    bytes += recorded.length + HOLDING_BYTES;
    // A copy: what a socket read at once would be kept whole for a part of it.
    if (bytes <= MAX_KEPT_BYTES) kept.push(Buffer.from(recorded));
    else lose();
  });
  return {
    feed: () => ({ pdus: [] }),
    ready: async () => [],
    size: () => link.size,
    async picture() {
      if (!isWhole) throw new AppError('unavailable', 'it draws faster than it can be followed');
      const desktop = decoder.open();
      try {
        await desktop.begin(link.size, 'vnc');
        await desktop.feed(kept);
        return Buffer.from((await desktop.look({ as: 'png', maxWidth: SHOWN_WIDTH })).bytes);
      } finally {
        desktop.close();
      }
    },
    close: lose,
  };
}
