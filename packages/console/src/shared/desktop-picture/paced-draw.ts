/** Draws what has changed at once, and no more often than the browser shows it. */

export interface PacedDraw {
  /** There is something new. */
  changed(): void;
  stop(): void;
}

interface Frames {
  request(callback: () => void): number;
  cancel(frame: number): void;
}

const ofBrowser: Frames = {
  request: (callback) => requestAnimationFrame(callback),
  cancel: (frame) => cancelAnimationFrame(frame),
};

/** To wait for the next frame before the first change of it is drawn costs up to a whole one, with each key that is pressed. */
export function pacedDraw(draw: () => void, frames = ofBrowser): PacedDraw {
  /** Something was drawn for the frame that comes. */
  let frame: number | undefined;
  let isOld = false;
  const changed = () => {
    if (frame !== undefined) {
      isOld = true;
      return;
    }
    frame = frames.request(() => {
      frame = undefined;
      if (!isOld) return;
      isOld = false;
      changed();
    });
    draw();
  };
  return {
    changed,
    stop() {
      if (frame !== undefined) frames.cancel(frame);
    },
  };
}
