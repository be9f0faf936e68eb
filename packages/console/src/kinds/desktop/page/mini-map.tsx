/** On a phone, where one sees a part of the desktop: all of it in a corner, with what is seen marked. */
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { PictureSize } from '../../../shared/desktop-picture/picture-client.ts';
import { partSeen, type SeenPart } from './fit-picture.ts';
import styles from './mini-map.module.css';

/** It shows where one is, not what happens. */
const DRAWN_EVERY_MS = 500;
const WIDTH_PX = 90;

interface MiniMapProps {
  stage: RefObject<HTMLElement | null>;
  canvas: RefObject<HTMLCanvasElement | null>;
  size: PictureSize;
}

export function MiniMap({ stage, canvas, size }: MiniMapProps) {
  const small = useRef<HTMLCanvasElement>(null);
  const part = usePartSeen(stage, canvas);
  const isShown = part !== undefined;
  useEffect(() => {
    if (!isShown) return;
    const draw = () => {
      const [from, to] = [canvas.current, small.current];
      // One without a size cannot be copied from, and a wide page does not show it.
      if (!from || !to || from.width === 0 || from.height === 0 || to.offsetParent === null) return;
      to.getContext('2d')?.drawImage(from, 0, 0, to.width, to.height);
    };
    draw();
    const timer = setInterval(draw, DRAWN_EVERY_MS);
    return () => clearInterval(timer);
  }, [canvas, isShown]);
  if (!part) return null;
  const percent = (share: number) => `${share * 100}%`;
  return (
    <div className={styles.miniMap} aria-hidden="true" data-map>
      <canvas ref={small} width={2 * WIDTH_PX} height={Math.round((2 * WIDTH_PX * size.height) / size.width)} />
      <i
        style={{
          left: percent(part.left),
          top: percent(part.top),
          width: percent(part.width),
          height: percent(part.height),
        }}
      />
    </div>
  );
}

function usePartSeen(stage: RefObject<HTMLElement | null>, canvas: RefObject<HTMLCanvasElement | null>) {
  const [part, setPart] = useState<SeenPart>();
  useEffect(() => {
    const [place, picture] = [stage.current, canvas.current];
    if (!place || !picture) return;
    const look = () =>
      setPart(
        partSeen(
          { left: place.scrollLeft, top: place.scrollTop, width: place.clientWidth, height: place.clientHeight },
          {
            left: picture.offsetLeft,
            top: picture.offsetTop,
            width: picture.offsetWidth,
            height: picture.offsetHeight,
          },
        ),
      );
    const observer = new ResizeObserver(look);
    observer.observe(place);
    observer.observe(picture);
    place.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      place.removeEventListener('scroll', look);
    };
  }, [stage, canvas]);
  return part;
}
